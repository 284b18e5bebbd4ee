//go:build browser

package document_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gobench/report/document"
	"gobench/report/figure"
	"gobench/report/figure/figuretest"
)

// try uses the page as a reader does and writes what it finds into the page.
const try = `<script>
const found = [];
addEventListener("error", (event) => found.push("error: " + event.message));
addEventListener("load", () => {
  const mark = document.querySelector(".mark");
  mark.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, clientX: 50, clientY: 50 }));
  found.push("tip: " + (tip.hidden ? "hidden" : tip.textContent));
  document.body.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  found.push("tip afterwards: " + (tip.hidden ? "hidden" : "there"));
  const svg = document.querySelector(".frame svg"), whole = svg.getAttribute("viewBox");
  document.querySelector("[data-zoom='1.4']").click();
  found.push("zoomed: " + (Number(svg.getAttribute("viewBox").split(" ")[2]) < Number(whole.split(" ")[2])));
  document.querySelector("[data-zoom='0']").click();
  found.push("whole again: " + svg.getAttribute("viewBox").split(" ").every((v, i) => Math.abs(v - whole.split(" ")[i]) < 1e-6));
  const table = [...document.querySelectorAll("table")].find((t) => t.tHead.textContent.includes("half_rtt"));
  const column = [...table.tHead.rows[0].cells].findIndex((c) => c.textContent === "half_rtt");
  const values = () => [...table.tBodies[0].rows].map((r) => Number(r.cells[column].dataset.value));
  const sorted = (v, up) => v.every((x, i) => i === 0 || (up ? v[i - 1] <= x : v[i - 1] >= x));
  found.push("sorted before: " + sorted(values(), true));
  table.tHead.rows[0].cells[column].click();
  found.push("sorted: " + sorted(values(), true));
  table.tHead.rows[0].cells[column].click();
  found.push("sorted down: " + sorted(values(), false));
  const wide = [...document.querySelectorAll("main *")].filter((e) => !e.closest(".scroll, svg, pre") && e.getBoundingClientRect().right > innerWidth + 1);
  found.push("too wide: " + wide.length);
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = found.join("\n");
  document.body.append(out);
});
</script>`

// The page is opened from disk in Debian's Chromium, which make test installs.
func TestPageInABrowser(t *testing.T) {
	s := set(figuretest.PingPong(3))
	var b bytes.Buffer
	if err := document.Build(s, figure.All(s)).HTML(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(strings.Replace(b.String(), "</body>", try+"</body>", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--virtual-time-budget=5000", "--window-size=1000,900", "--dump-dom", "file://"+path)
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v; scripts/install.sh chromium installs it", err)
	}
	_, found, ok := strings.Cut(string(dom), `<pre id="found">`)
	if !ok {
		t.Fatal("the page did not run its script to the end")
	}
	found, _, _ = strings.Cut(found, "</pre>")
	for _, want := range []string{
		"tip: 0 B: tcp takes 60", "tip afterwards: hidden", "zoomed: true", "whole again: true",
		"sorted before: false", "sorted: true", "sorted down: true", "too wide: 0",
	} {
		if !strings.Contains(found, want) {
			t.Errorf("not found in the browser: %q; found were\n%s", want, found)
		}
	}
	if strings.Contains(found, "error:") {
		t.Error(found)
	}
}
