import { setTimeout as pause } from 'node:timers/promises';
import { HostUnderTest } from '../../packages/graph-host/src/testing/host-process.ts';
import { percentile, sendMessage } from '../support/measure.ts';
import { pidsOf } from '../support/processes.ts';
import { importModules, type PythonHost, pythonHostOf } from '../support/python-host.ts';
import { atMost, type Report } from '../support/report.ts';
import { PYTHON_AGENT, startBenchPlatform } from '../support/roadstead.ts';

const MODULES = ['graph', 'waiting'];
const ROUNDS = 20;
const LOOK_MS = 50;

/**
 * The start of a graph host of Python. The program alone, from its start until it has described the project, against an
 * interpreter that imports the same modules, in turns; and the first call of a deployment of which no host is there, with the fence.
 */
export async function pythonStart(report: Report, scale: number): Promise<void> {
  await using bench = await startBenchPlatform({ folder: PYTHON_AGENT, env: { ROADSTEAD_IDLE_S: '1' } });
  const { pid } = bench.platform;
  const call = sendMessage(bench.address('untraced', 'graph'), bench.headers);
  await call();
  const host = await pythonHostOf(pid);
  const rounds = Math.ceil(ROUNDS * scale);
  const [starts, imports, calls]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    starts.push(await describeTime(host));
    imports.push(await importModules(host, MODULES));
  }
  for (let round = 0; round < rounds; round += 1) {
    while ((await pidsOf(pid)).hosts.length > 0) await pause(LOOK_MS);
    const began = performance.now();
    await call();
    calls.push(performance.now() - began);
  }
  const [start, bare] = [percentile(starts, 0.5), percentile(imports, 0.5)];
  report.note(`${rounds} starts until a host of Python describes, p50 ${start.toFixed(0)} ms`);
  report.note(`an interpreter that imports the same modules, p50 ${bare.toFixed(0)} ms`);
  report.ratio(
    'Python: start to describe, against importing the same modules',
    start / bare,
    atMost(1.15, '×'),
  );
  report.ratio('Python: first call of an idle deployment', percentile(calls, 0.5) / 1000, atMost(0.4, 's'));
}

async function describeTime({ command, folder, variables }: PythonHost): Promise<number> {
  const began = performance.now();
  await using host = new HostUnderTest(folder, { command, environment: variables });
  await host.peer.ask('describe', {});
  return performance.now() - began;
}
