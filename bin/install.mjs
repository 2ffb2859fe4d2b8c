// Installs what the lock file names. Plain JavaScript for Node ≥ 20: it runs before anything is installed.
import { spawn } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const installed = join(root, 'node_modules', '.package-lock.json');
/** Numbered links, each to the id of a process: it is the highest number's turn for as long as that process lives. */
const turns = join(root, '.installing');
/** After so long the id of a process may be another's. */
const LONGEST_MS = 3_600_000;

/**
 * Waits while another process installs, and ends this one with a sentence where npm fails.
 * @param isEnough whether what is there will do.
 */
export async function install(isEnough = isUpToDate) {
  for (let told = false; !isEnough(); told = true) {
    const turn = takeTurn();
    if (turn !== undefined) return isEnough() || runNpm(turn);
    if (!told) process.stderr.write('Waiting for another command that installs …\n');
    await after(200);
  }
}

/** npm writes down what it installed, and does so last. */
export const isInstalled = () => packagesOf(installed) !== undefined;

/** Whether it is what the lock file names, but for optional packages: those of other systems stay away. */
export function isUpToDate() {
  const there = packagesOf(installed);
  const wanted = packagesOf(join(root, 'package-lock.json'));
  if (there === undefined || wanted === undefined) return false;
  return Object.entries(wanted).every(([path, { version, integrity, link, optional, devOptional }]) => {
    const found = there[path];
    if (path === '' || link === true) return path === '' || found?.link === true;
    if (found === undefined) return optional === true || devOptional === true;
    return found.version === version && found.integrity === integrity;
  });
}

function packagesOf(lock) {
  try {
    return JSON.parse(readFileSync(lock, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/**
 * Two at once would take packages away from under each other. A number is made by one process only, and only where the
 * process of the number before is dead; who then finds a higher one was too slow. The highest is never removed.
 * @returns the number, unless it is another's turn.
 */
function takeTurn() {
  mkdirSync(turns, { recursive: true });
  const last = numbers().at(-1) ?? 0;
  if (last > 0 && isHeld(last)) return undefined;
  const turn = last + 1;
  if (!name(turn, process.pid)) return undefined;
  if (numbers().at(-1) !== turn) {
    rmSync(join(turns, String(turn)), { force: true });
    return undefined;
  }
  for (const past of numbers()) if (past < turn) rmSync(join(turns, String(past)), { force: true });
  return turn;
}

const numbers = () =>
  readdirSync(turns)
    .map(Number)
    .filter((number) => number > 0)
    .sort((one, other) => one - other);

function name(number, pid) {
  try {
    symlinkSync(String(pid), join(turns, String(number)));
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function isHeld(number) {
  const link = join(turns, String(number));
  try {
    return Date.now() - lstatSync(link).mtimeMs < LONGEST_MS && process.kill(Number(readlinkSync(link)), 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** What npm sets for the run that started us, and would not be meant for this one. */
const OUTER =
  /^npm_(?!config_)|^npm_config_(global|local_prefix|global_prefix|prefix|location|workspaces?|include_workspace_root|include|omit|only|also|production|dev|optional|dry_run|package_lock|package_lock_only|json)$/i;

async function runNpm(turn) {
  process.stderr.write('Installing what Roadstead needs (npm ci), about half a minute …\n');
  const npm = spawn('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: Object.fromEntries(Object.entries(process.env).filter(([variable]) => !OUTER.test(variable))),
  });
  // npm goes on when we are killed, so it is npm that the next one waits for.
  if (npm.pid !== undefined) name(turn + 1, npm.pid);
  let signalled;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      signalled = signal;
      npm.kill(signal);
    });
  const code = await new Promise((done) => {
    npm.once('error', () => done(1));
    npm.once('exit', done);
  });
  if (signalled !== undefined) process.exit(128 + constants.signals[signalled]);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
  if (code === 0) return;
  process.stderr.write(
    'roadstead: npm ci failed; the lines above say why. Is the package registry reachable?\n',
  );
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await install();
