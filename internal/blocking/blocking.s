// Functions without a body need a file of assembler in their package.
