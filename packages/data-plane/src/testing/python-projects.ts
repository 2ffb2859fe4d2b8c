import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { create } from 'tar';

/** A project of these files, as the source archive that a user uploads. */
export async function archiveOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'project-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, 'project', path)), { recursive: true });
      await writeFile(join(folder, 'project', path), text);
    }
    await create({ cwd: join(folder, 'project'), file: join(folder, 'project.tgz'), gzip: true }, ['.']);
    return await readFile(join(folder, 'project.tgz'));
  } finally {
    await rm(folder, { recursive: true });
  }
}
