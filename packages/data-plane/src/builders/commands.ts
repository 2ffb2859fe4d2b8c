import type { Ended, Fence, FencedProgram } from '@roadstead/fence';
import { Problem, readLines } from '@roadstead/kit';
import { failureCause, mayTellCause } from './failure-cause-rules.ts';

export interface CommandOptions extends Omit<FencedProgram, 'command' | 'pipes'> {
  readonly command: string;
  readonly fence: Fence;
  readonly onLine: (line: string, level: 'INFO' | 'WARNING') => void;
  /** Hides secrets in what it prints. */
  readonly mask?: (text: string) => string;
  readonly signal: AbortSignal;
}

const MAX_CAUSES = 50;
/** What a shell says of a program that it does not find. */
const NOT_FOUND = 'exit code 127';

/** Runs a shell command behind the fence; it ends with all that it started. Rejects with how it ended. */
export async function runCommand({
  command,
  fence,
  onLine,
  mask = (text) => text,
  signal,
  ...program
}: CommandOptions): Promise<void> {
  signal.throwIfAborted();
  const running = fence.start({ ...program, command: ['/bin/sh', '-c', command], pipes: 2 });
  const kill = () => running.kill();
  signal.addEventListener('abort', kill);
  const { stdout, stderr } = running.child;
  const causes: string[] = [];
  const take = (level: 'INFO' | 'WARNING') => (line: string) => {
    if (causes.length < MAX_CAUSES && mayTellCause(line)) causes.push(line);
    onLine(line, level);
  };
  if (stdout !== null) readLines(stdout, { mask, onLine: take('INFO') });
  if (stderr !== null) readLines(stderr, { mask, onLine: take('WARNING') });
  const how = sentenceOf(await running.ended);
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (how !== undefined) throw failure(command, how, failureCause(causes));
}

/** Undefined when it did its work. */
function sentenceOf(ended: Ended): string | undefined {
  if (ended.kind === 'not started') return ended.why;
  if (ended.kind === 'killed') return `signal ${ended.signal}`;
  return ended.code === 0 ? undefined : `exit code ${ended.code}`;
}

function failure(command: string, how: string, cause: string | undefined): Problem {
  const hint = `The build log says more. \`${command.split(' ')[0] ?? ''}\` must be installed on this machine.`;
  return new Problem(
    'invalid',
    `\`${command}\` failed with ${how}${cause === undefined ? '' : `: ${cause}`}.`,
    how === NOT_FOUND ? { hint } : { hint: 'The build log says more.' },
  );
}
