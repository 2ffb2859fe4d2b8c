import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ContainerEngine } from '@roadstead/containers';
import { readBakedConfig } from '@roadstead/contracts/langgraph-json';
import { useFixture, useFolder } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { ask, openImagePlatform, runBesideEngine } from './deployed/image-platform.ts';
import { useTestImages } from './deployed/images.ts';
import { base, can_build, can_build_python, docker, inImage, roadstead, socket } from './engine.ts';

/** Images of projects, made by `roadstead build` without a network: of projects that need no package. */

const folder = useFolder('project-images-');

async function writeProject(files: Readonly<Record<string, string>>): Promise<string> {
  const project = join(folder(), randomUUID().slice(0, 8), 'My boats');
  await mkdir(join(project, 'src'), { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(project, path), text);
  return project;
}

describe.skipIf(!can_build)('images of projects (ROADSTEAD_TEST_ENGINE, ROADSTEAD_TEST_BASE_IMAGE)', () => {
  test('when a project is made an image, then its graphs and files are in it, and no secret', async () => {
    const description = `It's "quoted" \\ $HOME`;
    const graphs = { agent: { path: './src/graph.js:graph', description } };
    const project = await writeProject({
      'langgraph.json': JSON.stringify({
        graphs,
        env: { TOKEN: 'canary' },
        dockerfile_lines: ['RUN echo made > /made'],
        http: { disable_mcp: true },
      }),
      'package.json': '{"dependencies": {}}',
      'src/graph.js': 'export const graph = 1;',
      '.env': 'TOKEN=canary',
      '.gitignore': 'left\n',
      left: 'canary',
    });
    const image = `roadstead-test:${randomUUID()}`;
    const made = JSON.parse(
      roadstead('build', project, '--tag', image, '--base-image', base, '--engine', 'docker', '--json'),
    ) as { id: string };
    try {
      const facts = await new ContainerEngine(socket).inspectImage(image);
      expect(facts).toMatchObject({ id: made.id, folder: '/deps/My-boats' });
      expect(facts && readBakedConfig(facts)).toMatchObject({
        kind: 'config',
        config: {
          graphs: { agent: { path: './src/graph.js:graph', description } },
          http: { disable_mcp: true },
        },
      });
      expect(inImage(image, 'cat /made; cd /deps/My-boats; find . -type f | sort')).toBe(
        ['made', './.gitignore', './langgraph.json', './package.json', './src/graph.js'].join('\n'),
      );
      expect(JSON.stringify(facts?.environment)).not.toContain('canary');
    } finally {
      docker('image', 'rm', '--force', image);
    }
  });

  test('when the base is not there, then the words of the engine are told', async () => {
    const project = await writeProject({
      'langgraph.json': '{"graphs": {"agent": "./src/graph.js:graph"}}',
      'src/graph.js': '',
    });
    const build = () =>
      roadstead('build', project, '--tag', 'none', '--base-image', 'localhost/none:1', '--engine', 'docker');
    expect(build).toThrow(/docker could not build the image:[^]*localhost\/none/);
  });
});

const languages = [...(can_build ? ['javascript'] : []), ...(can_build_python ? ['python'] : [])];

describe.skipIf(!can_build)('images of projects that are deployed (ROADSTEAD_TEST_ENGINE)', () => {
  const images = useTestImages();
  const platform = useFixture(openImagePlatform);

  test.each(languages)('when one in %s is built and deployed, then its graph answers', async (language) => {
    const { running } = platform();
    const project = fileURLToPath(new URL(`../agents/${language}`, import.meta.url));
    const [image, name] = [images().newTag(), `built-${language}`];
    const { tag } = await images().base(language);
    const build = ['build', project, '--tag', image, '--base-image', tag, '--engine', 'docker'];
    for (const args of [build, ['deploy', '--image', image, '--name', name]]) {
      const { code, stdout, stderr } = await runBesideEngine(running, ...args);
      expect(code, `${stdout}\n${stderr}`).toBe(0);
    }
    const { body } = await ask<{ messages: { content: string }[] }>(running, [
      'POST',
      `/agents/${name}/runs/wait`,
      { assistant_id: 'agent', input: { messages: [{ role: 'user', content: 'hello' }] } },
    ]);
    expect(body.messages.at(-1)?.content).toBe(`${language} 1: hello`);
  });
});
