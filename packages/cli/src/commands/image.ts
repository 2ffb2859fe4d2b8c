import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { OWN_IMAGE } from '@roadstead/contracts';
import { Problem, readConfig, setting } from '@roadstead/kit';
import { platformOf, sizeText } from '../images/build-rules.ts';
import { EngineProgram } from '../images/engine-program.ts';
import { writeOwnContext } from '../images/own-context.ts';
import { dataFolderOf } from '../target/data-folder-path.ts';
import { targetSettings } from '../target/target.ts';
import { watchInterrupt } from '../terminal/interrupt.ts';
import { safeJson } from '../terminal/safe-text.ts';
import {
  answerOptions,
  type Command,
  type CommandCall,
  engineOptions,
  textOf,
} from '../command-line/command.ts';

const imageSettings = {
  time_s: setting({
    env: 'SOURCE_DATE_EPOCH',
    doc: 'The time that files of an image have, in seconds since 1970.',
    // That of files in packages of npm.
    schema: z.coerce.number().int().min(0).default(499_162_500),
  }),
};

export const image: Command = {
  name: 'image',
  operands: 'build',
  summary:
    'Make the container image of Roadstead, of the packages that are installed here, with Docker or Podman. Graph hosts run in it, too.',
  options: {
    tag: { type: 'string', value: 'NAME:TAG', doc: `the name of the image (${OWN_IMAGE})` },
    base: {
      type: 'string',
      value: 'IMAGE',
      doc: 'what it is made of: a Linux with glibc, Node 24 and npm (node:24-bookworm-slim)',
    },
    context: {
      type: 'string',
      value: 'FOLDER',
      doc: 'only make the folder to build from, with its Dockerfile, for a build of your own',
      completes: 'folders',
    },
    ...engineOptions,
    ...answerOptions,
  },
  examples: [
    { call: 'image build', does: `makes ${OWN_IMAGE}` },
    {
      call: 'image build --context image --quiet',
      does: 'makes the folder image for `docker buildx build image`',
    },
  ],
  run: async ({ values, terminal }) => {
    using interrupt = watchInterrupt();
    const { signal } = interrupt;
    const onProgress = (line: string) => terminal.progress(`  ${line}`);
    const kept = textOf(values['context']);
    const order = { signal, onProgress };
    if (kept !== undefined) {
      const folder = resolve(kept);
      await mkdir(folder, { recursive: true });
      await writeContext(folder, order);
      terminal.out(values['json'] === true ? safeJson({ context: folder }) : `${folder} can be built.`);
      return 0;
    }
    const built = await buildOwn(values, order);
    terminal.out(
      values['json'] === true
        ? safeJson(built)
        : `${built.image} is made: ${sizeText(built.size_bytes)}, ${built.id}.`,
    );
    return 0;
  },
};

interface Order {
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
}

async function buildOwn(values: CommandCall['values'], order: Order) {
  const { signal, onProgress } = order;
  const engine = await EngineProgram.find(textOf(values['engine']), signal);
  const here = platformOf(process);
  if (engine.platform !== here)
    throw new Problem(
      'invalid',
      `The image is made of the packages that are installed here, for ${here}; containers of ${engine.name} are ${engine.platform}.`,
      { hint: 'Make it on a Linux machine with that processor.' },
    );
  const context = await mkdtemp(join(tmpdir(), 'roadstead-image-'));
  try {
    const { time_s } = await writeContext(context, order);
    onProgress(`building with ${engine.name}`);
    const base = textOf(values['base']);
    const args = { SOURCE_DATE_EPOCH: String(time_s), ...(base === undefined ? {} : { BASE: base }) };
    const build = {
      context,
      dockerfile: join(context, 'Dockerfile'),
      tag: textOf(values['tag']) ?? OWN_IMAGE,
      args,
      network: textOf(values['network']),
      pull: values['pull'] === true,
    };
    return await engine.build(build, { onLine: onProgress, signal });
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}

async function writeContext(folder: string, order: Order): Promise<{ readonly time_s: number }> {
  // Settings of all services: other commands don't need them.
  const { inheritedEnvironment } = await import('../platform/platform-config.ts');
  const { time_s } = readConfig(imageSettings);
  const uv_folder = join(dataFolderOf(readConfig(targetSettings).data_folder), 'uv');
  await writeOwnContext({ folder, time_s, uv_folder, environment: inheritedEnvironment(), ...order });
  return { time_s };
}
