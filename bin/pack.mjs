// Makes the package that is published: `dist/roadstead-{version}.tgz`, one npm package named `roadstead`, with our own
// packages as JavaScript inside it and everything else as its dependencies (docs/decisions/0005-one-package.md).
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './console.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const folder = join(dist, 'package');
const bundled = join(folder, 'node_modules', '@roadstead');
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
/** What packages read beside their JavaScript: programs in Python, and the data of these. */
const DATA = /\.(py|json)$/;
const write = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

rmSync(dist, { recursive: true, force: true });
execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.pack.json'], {
  cwd: root,
  stdio: 'inherit',
});

const checkout = json(join(root, 'package.json'));
const dependencies = {};
const optionalDependencies = {};
mkdirSync(bundled, { recursive: true });
for (const name of readdirSync(join(root, 'packages'))) {
  const own = join(folder, 'packages', name);
  for (const file of readdirSync(join(root, 'packages', name, 'src'), { recursive: true }))
    if (DATA.test(file)) cpSync(join(root, 'packages', name, 'src', file), join(own, 'src', file));
  // What only tests use has neither.
  if (!existsSync(own)) continue;
  const {
    private: _private,
    devDependencies: _dev,
    ...manifest
  } = json(join(root, 'packages', name, 'package.json'));
  Object.assign(dependencies, manifest.dependencies);
  Object.assign(optionalDependencies, manifest.optionalDependencies);
  const exports = Object.fromEntries(
    Object.entries(manifest.exports).map(([key, path]) => [key, path.replace(/\.ts$/, '.js')]),
  );
  // The command stays where a checkout has it, beside the examples; the others are found by their names.
  write(join(own, 'package.json'), { ...manifest, exports });
  if (name !== 'cli') renameSync(own, join(bundled, name));
}
// The console is built: what it is made of stays in the checkout.
await buildConsole();
cpSync(join(root, 'packages', 'console', 'dist'), join(folder, 'packages', 'console', 'dist'), {
  recursive: true,
});
const { node } = checkout.devDependencies;
const ours = Object.keys(dependencies).filter((name) => name.startsWith('@roadstead/'));
write(join(folder, 'package.json'), {
  name: 'roadstead',
  version: checkout.version,
  description: checkout.description,
  license: checkout.license,
  type: 'module',
  bin: { roadstead: 'bin/roadstead.mjs' },
  engines: checkout.engines,
  dependencies: { ...dependencies, node },
  optionalDependencies,
  bundleDependencies: ours,
});
mkdirSync(join(folder, 'bin'));
cpSync(join(root, 'bin', 'launch.mjs'), join(folder, 'bin', 'launch.mjs'));
writeFileSync(
  join(folder, 'bin', 'roadstead.mjs'),
  `#!/usr/bin/env -S node --max-semi-space-size=32 --
import { fileURLToPath } from 'node:url';
import { launch } from './launch.mjs';

await launch(fileURLToPath(new URL('../packages/cli/src/main.js', import.meta.url)), import.meta.url);
`,
);
for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md'])
  cpSync(join(root, name), join(folder, name));
cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
cpSync(join(root, 'docs', 'openapi'), join(folder, 'docs', 'openapi'), { recursive: true });
cpSync(join(root, 'examples'), join(folder, 'examples'), {
  recursive: true,
  filter: (path) => !path.includes('node_modules'),
});
const packed = execFileSync('npm', ['pack', folder, '--pack-destination', dist, '--silent'], { cwd: dist });
process.stdout.write(`dist/${packed.toString().trim()}\n`);
