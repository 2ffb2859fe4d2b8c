import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

/** Writes a module that gives these files to any importer, without their types. Started by `untyped-host.ts`. */

const [, , path = ''] = process.argv;
const files = JSON.parse(await text(process.stdin)) as readonly string[];
const texts = files.map((file) => [
  pathToFileURL(file).href,
  stripTypeScriptTypes(readFileSync(file, 'utf8')),
]);
// A text is needed once.
const module = `import { registerHooks } from 'node:module';
const texts = new Map(${JSON.stringify(texts)});
registerHooks({
  load(url, context, next) {
    const source = texts.get(url);
    if (source === undefined) return next(url, context);
    texts.delete(url);
    return { format: 'module', source, shortCircuit: true };
  },
});
`;
mkdirSync(dirname(path), { recursive: true });
const unfinished = `${path}.${process.pid}`;
writeFileSync(unfinished, module);
renameSync(unfinished, path);
