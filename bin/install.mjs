// Installs what the lock file names, once per lock file. Plain JavaScript: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.installed-lock');

export function install() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  process.stderr.write('Installing what Roadstead needs (npm ci), about half a minute …\n');
  const result = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // An npm started below `npm start` would inherit that run's settings.
    env: Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(registry|cache|.*auth))/i.test(name)),
    ),
  });
  if (result.status !== 0) {
    process.stderr.write(
      'roadstead: npm ci failed; the lines above say why. Is the package registry reachable?\n',
    );
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) install();
