/** The folder of a path, `.` for the root. */
export function folderOf(path: string): string {
  return path.split('/').slice(0, -1).join('/') || '.';
}

/** Whether a relative path, seen from a folder below the root, stays below the root. */
export function staysInside(folder: string, path: string): boolean {
  if (path.startsWith('/') || path.includes('\\') || path.includes('\0')) return false;
  let depth = folder.split('/').filter((part) => part !== '' && part !== '.').length;
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    depth += part === '..' ? -1 : 1;
    if (depth < 0) return false;
  }
  return true;
}

/** Rewrites a path relative to a folder below the root as relative to the root; it stays below that. */
export function normalPath(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of [...folder.split('/'), ...path.split('/')]) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/') || '.';
}
