import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { isAboutImage } from '@roadstead/contracts/langgraph-json';
import { Problem } from '@roadstead/kit';
import { readProjectConfig, requireFolder } from '../deployments/project-config.ts';
import { sizeText } from '../images/build-rules.ts';
import { type BuiltImage, EngineProgram } from '../images/engine-program.ts';
import { ignoreLines, openProjectContext } from '../images/project-context.ts';
import { watchInterrupt } from '../terminal/interrupt.ts';
import { safeJson } from '../terminal/safe-text.ts';
import {
  answerOptions,
  type Command,
  type CommandCall,
  engineOptions,
  textOf,
} from '../command-line/command.ts';

export const build: Command = {
  name: 'build',
  operands: '[DIR]',
  summary:
    'Make a container image of a project, with its graphs and their packages in it, with Docker or Podman; `roadstead deploy --image` runs it.',
  options: {
    tag: { type: 'string', short: 't', value: 'NAME:TAG', doc: 'the name of the image' },
    config: {
      type: 'string',
      value: 'PATH',
      doc: 'graph configuration file (langgraph.json)',
      completes: 'files',
    },
    'base-image': {
      type: 'string',
      value: 'IMAGE',
      doc: 'what it is made of, in place of what langgraph.json asks for',
    },
    platform: {
      type: 'string',
      value: 'NAMES',
      doc: 'platforms to build for, separated by commas: linux/amd64,linux/arm64',
    },
    'install-command': {
      type: 'string',
      value: 'CMD',
      doc: 'for packages of JavaScript, instead of the detected one',
    },
    'build-command': { type: 'string', value: 'CMD', doc: 'run after the install' },
    dockerfile: {
      type: 'string',
      value: 'PATH',
      doc: 'only write the Dockerfile, for a build of your own from DIR',
      completes: 'files',
    },
    ...engineOptions,
    ...answerOptions,
  },
  examples: [
    { call: 'build --tag support-agent:1', does: 'the project that one is in' },
    {
      call: 'build agents/support --tag registry.example.com/team/support:1.4 --platform linux/amd64',
      does: 'another one, for a cluster',
    },
    { call: 'build --dockerfile Dockerfile', does: 'writes how it would be made' },
  ],
  completes: { '[DIR]': 'folders' },
  run: async ({ operands, values, terminal }) => {
    const folder = await requireFolder(operands[0] ?? '.');
    const [tag, path] = [textOf(values['tag']), textOf(values['dockerfile'])];
    if ((tag === undefined) === (path === undefined))
      throw new Problem('invalid', 'Name the image with --tag, or the file to write with --dockerfile.');
    const config_path = textOf(values['config']) ?? 'langgraph.json';
    // Before anything is copied.
    await readProjectConfig(folder, config_path);
    using interrupt = watchInterrupt();
    const { signal } = interrupt;
    const onProgress = (line: string) => terminal.progress(`  ${line}`);
    await using context = await openProjectContext(folder, onProgress);
    const text = await dockerfileOf({ folder, config_path, context: context.folder, values, onProgress });
    if (path !== undefined) {
      const file = resolve(path);
      await writeFile(file, text);
      await writeFile(`${file}.dockerignore`, `${ignoreLines(context.files).join('\n')}\n`);
      terminal.out(
        values['json'] === true
          ? safeJson({ dockerfile: file })
          : `${file} is written; it is built from ${folder}.`,
      );
      return 0;
    }
    const engine = await EngineProgram.find(textOf(values['engine']), signal);
    const built = await buildWith(engine, {
      context: context.folder,
      text,
      tag: tag ?? '',
      values,
      onProgress,
      signal,
    });
    terminal.out(
      values['json'] === true
        ? safeJson(built)
        : `${built.image} is made: ${sizeText(built.size_bytes)}, ${built.id}. Deploy it: roadstead deploy --image ${built.image}`,
    );
    return 0;
  },
};

interface PlanCall extends Pick<CommandCall, 'values'> {
  readonly folder: string;
  readonly config_path: string;
  /** The folder that is built from. */
  readonly context: string;
  readonly onProgress: (line: string) => void;
}

async function dockerfileOf({ folder, config_path, context, values, onProgress }: PlanCall): Promise<string> {
  // Only this command plans builds.
  const { planProjectImage } = await import('@roadstead/data-plane');
  const planned = await planProjectImage({
    folder: context,
    name: basename(folder),
    config_path,
    base_image: textOf(values['base-image']),
    install_command: textOf(values['install-command']),
    build_command: textOf(values['build-command']),
  });
  if (planned.kind === 'refused')
    throw new Problem('invalid', planned.message, planned.hint === undefined ? {} : { hint: planned.hint });
  for (const warning of planned.warnings.filter((one) => !isAboutImage(one))) onProgress(warning);
  return planned.text;
}

interface BuildCall extends Pick<CommandCall, 'values'> {
  readonly context: string;
  readonly text: string;
  readonly tag: string;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

async function buildWith(
  engine: EngineProgram,
  { context, text, tag, values, onProgress, signal }: BuildCall,
): Promise<BuiltImage> {
  // Beside what is built, and not in it.
  const place = await mkdtemp(join(tmpdir(), 'roadstead-dockerfile-'));
  try {
    const dockerfile = join(place, 'Dockerfile');
    await writeFile(dockerfile, text);
    onProgress(`building with ${engine.name}`);
    const order = {
      context,
      dockerfile,
      tag,
      platform: textOf(values['platform']),
      network: textOf(values['network']),
      pull: values['pull'] === true,
    };
    return await engine.build(order, { onLine: onProgress, signal });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
