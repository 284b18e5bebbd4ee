# Checks of ReFrame 4: latency and bandwidth between two nodes, measured by gobench, which is in the
# PATH of the compute nodes. The output has the form of the OSU Micro-Benchmarks, so that the
# expressions of existing checks fit.
import reframe as rfm
import reframe.utility.sanity as sn


class GobenchBase(rfm.RunOnlyRegressionTest):
    valid_systems = ['*']
    valid_prog_environs = ['*']
    executable = 'gobench'
    num_tasks = 2
    num_tasks_per_node = 1
    transport = variable(str, value='tcp')
    bench = variable(str)
    size = variable(int)

    @run_before('run')
    def set_options(self):
        self.executable_opts = [
            'p2p', f'--bench={self.bench}', f'--transport={self.transport}',
            f'--sizes={self.size}', '-o', 'records.jsonl', '--export=table.osu'
        ]
        # Rank 0 writes the table; the others have none.
        self.postrun_cmds = ['cat table.osu']
        self.keep_files = ['records.jsonl', 'table.osu']

    @sanity_function
    def has_row(self):
        return sn.assert_found(rf'^{self.size}\s+\S+$', self.stdout)

    def value(self):
        return sn.extractsingle(rf'^{self.size}\s+(\S+)$', self.stdout, 1, float)


@rfm.simple_test
class GobenchLatency(GobenchBase):
    bench = 'pingpong'
    size = 8
    # Give the value of your network: lower and upper thresholds are shares of it.
    reference = {'*': {'latency': (0, None, None, 'us')}}

    @performance_function('us')
    def latency(self):
        return self.value()


@rfm.simple_test
class GobenchBandwidth(GobenchBase):
    bench = 'uniband'
    size = 1048576
    reference = {'*': {'bandwidth': (0, None, None, 'MB/s')}}

    @performance_function('MB/s')
    def bandwidth(self):
        return self.value()
