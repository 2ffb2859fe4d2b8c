import type { HostEnd } from '@roadstead/agent-server';
import type { Limits } from '@roadstead/fence';
import { pause, Problem } from '@roadstead/kit';
import type { CommandPlace, CommandProgram } from '../ports/command-place.ts';
import type { BuildOutput } from './build-output.ts';
import { failureCause, mayTellCause } from './failure-cause-rules.ts';
import { withoutCredentials } from './output-mask-rules.ts';

export interface CommandOptions extends Omit<CommandProgram, 'command'> {
  readonly command: string;
  readonly place: CommandPlace;
  readonly output: BuildOutput;
  readonly signal: AbortSignal;
}

const MAX_CAUSES = 50;
/** Processes that a command leaves behind may hold its output open. */
const LAST_OUTPUT_MS = 10_000;
/** The exit of a shell that does not find the program. */
const NOT_FOUND = 'exit code 127';

/** Runs a shell command, away from what is ours; everything that it started ends with it. Rejects with how it ended. */
export async function runCommand({
  command,
  place,
  output,
  signal,
  ...program
}: CommandOptions): Promise<void> {
  signal.throwIfAborted();
  const running = place.start({ ...program, command: ['/bin/sh', '-c', command] });
  const kill = () => running.kill();
  signal.addEventListener('abort', kill);
  const { stdout, stderr } = running.output;
  const causes: string[] = [];
  const take = (line: string) => {
    if (causes.length < MAX_CAUSES && mayTellCause(line)) causes.push(line);
  };
  const reading = Promise.all([
    stdout === undefined ? undefined : output.read(stdout, { level: 'INFO', take, signal }),
    stderr === undefined ? undefined : output.read(stderr, { level: 'WARNING', take, signal }),
  ]);
  const ended = await running.ended;
  await Promise.race([reading, pause(LAST_OUTPUT_MS, signal)]);
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (ended.kind === 'out of memory') throw outOfMemory(command, program.limits);
  const how = sentenceOf(ended);
  if (how !== undefined) throw failure(command, how, { cause: failureCause(causes), where: place.where });
}

/** Undefined when it succeeded. */
function sentenceOf(ended: Exclude<HostEnd, { kind: 'out of memory' }>): string | undefined {
  if (ended.kind === 'refused') return ended.sentence;
  if (ended.kind === 'not started' || ended.kind === 'lost') return ended.why;
  if (ended.kind === 'killed') return `signal ${ended.signal}`;
  return ended.code === 0 ? undefined : `exit code ${ended.code}`;
}

// oxlint-disable-next-line roadstead/two-positional -- what, how, and why
function failure(
  command: string,
  how: string,
  { cause, where }: { readonly cause: string | undefined; readonly where: string },
): Problem {
  const hint = `See the build log. \`${command.split(' ')[0] ?? ''}\` must be installed ${where}.`;
  return new Problem(
    'invalid',
    `\`${withoutCredentials(command)}\` failed with ${how}${cause === undefined ? '' : `: ${cause}`}.`,
    how === NOT_FOUND ? { hint } : { hint: 'See the build log.' },
  );
}

function outOfMemory(command: string, limits: Limits | undefined): Problem {
  const took = `took more than the ${limits?.memory_mb ?? 0} MB of memory that a build may have, and was ended`;
  return new Problem('invalid', `\`${withoutCredentials(command)}\` ${took}.`, {
    code: 'out_of_memory',
    hint: 'The operator of this platform sets the limit, by ROADSTEAD_BUILD_MEMORY_MB.',
  });
}
