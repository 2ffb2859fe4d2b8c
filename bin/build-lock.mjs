// A lock of one folder among processes, which outlives none of them: it names its process, and whoever finds that one
// dead takes its place.
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** After so long whoever holds it is taken for dead: another process may have its number. */
const LONGEST_MS = 600_000;

/** Takes the lock of a folder unless a living process has it; throws where the folder can't be written. */
export function takeLock(folder) {
  mkdirSync(folder, { recursive: true });
  const [own, lock] = [join(folder, `${process.pid}`), join(folder, 'lock')];
  writeFileSync(own, `${process.pid}`);
  try {
    // A link is there with its content, or not at all.
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isHeld(lock)) rmSync(lock, { force: true });
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Gives it back, unless another process has it by now. */
export function releaseLock(folder) {
  const lock = join(folder, 'lock');
  if (holderOf(lock) === process.pid) rmSync(lock, { force: true });
}

function isHeld(lock) {
  const age_ms = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age_ms > LONGEST_MS) return false;
  const pid = holderOf(lock);
  // Without one it was released meanwhile.
  return pid === undefined || isAlive(pid);
}

function holderOf(lock) {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Removes what dead processes left: `dist.123`, `dist.123.old`. */
export function sweep(folder) {
  for (const name of readdirSync(folder)) {
    const pid = Number(/^dist\.(\d+)(?:\.old)?$/.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
