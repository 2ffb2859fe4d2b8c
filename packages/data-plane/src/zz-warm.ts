import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from 'tar';
import { openTestBuilder } from './testing/test-builder.ts';
const folder = await mkdtemp('/tmp/warm-');
const archive = join(folder, 's.tgz');
await create({ cwd: 'test/agents/javascript', file: archive, gzip: true }, ['.']);
const source = await readFile(archive);
const { build } = await openTestBuilder(folder, { ...process.env });
const cpu = () => { const f = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' '); return [11, 12, 13, 14].reduce((n, i) => n + Number(f[i]) * 10, 0); };
for (const d of ['a', 'a', 'b', 'b']) { const t = performance.now(); const c = cpu(); const b = build(source, {}, d); await b.built; console.log(d, Math.round(performance.now() - t), 'ms', cpu() - c, 'ms cpu', b.lines.find((l) => l.includes('added'))); }
await rm(folder, { recursive: true });
process.exit();
