import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runtimeSuite } from './runtime-suite.ts';
import { FakeRuntime } from './fake-runtime.ts';
import { writeProject } from './projects.ts';

runtimeSuite('in memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'runtime-'));
  const runtime = new FakeRuntime();
  return {
    runtime,
    project: async (kind) => {
      const project = await mkdtemp(join(folder, 'project-'));
      await writeProject(project, kind);
      return project;
    },
    hasTraces: async (id) => !runtime.forgotten.includes(id),
    holdSwitch: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      runtime.onActivating = () => promise;
      return { [Symbol.asyncDispose]: async () => resolve() };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
});
