import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { CallbackManager } from '@langchain/core/callbacks/manager';
import fc from 'fast-check';
import { RunTree, type RunTreeConfig } from 'langsmith/run_trees';
import { expect, test } from 'vitest';
import { assignedFields, copyLean, roughlySized, roughSize } from './lean-tracing.ts';

class Handler extends BaseCallbackHandler {
  readonly name: string;
  constructor(name: string) {
    super();
    this.name = name;
  }
}

const original = CallbackManager.prototype.copy;
class Lean extends CallbackManager {}
Lean.prototype.copy = original;
copyLean(Lean);

const handlers = ['console_callback_handler', 'langchain_tracer', 'other'].map((name) => new Handler(name));
const some = <T>(values: readonly T[]) => fc.array(fc.constantFrom(...values), { maxLength: 4 });
const metadata = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__x', '1'), fc.jsonValue(), {
  maxKeys: 4,
});
const added = fc.record({
  handlers: some(handlers),
  tags: some(['x', 'y', 'z']),
  metadata,
  inherit: fc.boolean(),
});

test('when a manager is copied, then the copy is what the original makes of it', () => {
  expect(Lean.prototype.copy).not.toBe(original);
  fc.assert(
    fc.property(fc.array(added, { maxLength: 4 }), some(handlers), fc.boolean(), (given, more, inherit) => {
      const manager = new CallbackManager('parent');
      for (const one of given) {
        for (const handler of one.handlers) manager.addHandler(handler, one.inherit);
        manager.addTags(one.tags, one.inherit);
        manager.addMetadata(one.metadata, one.inherit);
      }
      const before = JSON.stringify(manager);
      const copied = Lean.prototype.copy.call(manager, more, inherit);
      expect(JSON.stringify(copied)).toBe(JSON.stringify(original.call(manager, more, inherit)));
      expect(JSON.stringify(manager)).toBe(before);
      copied.addMetadata({ later: 1 });
      expect(JSON.stringify(manager)).toBe(before);
    }),
  );
});

test('when a manager copies in another way, then it is left alone', () => {
  class Other {
    metadata = {};
    inheritableMetadata = {};
    copy() {
      return new Other();
    }
  }
  const { copy } = Other.prototype;
  copyLean(Other);
  expect(Other.prototype.copy).toBe(copy);
});

const fileOf = (name: string) =>
  join(createRequire(import.meta.url).resolve('langsmith/run_trees'), '..', 'lib', name);

test('when the fields of a tree of runs are assigned, then it has the same ones', async () => {
  const file = fileOf('run_trees.mjs');
  const text = readFileSync(file, 'utf8');
  const assigned = assignedFields(text);
  const defined = (source: string) => source.match(/(?<=Object\.defineProperty\(this, ")\w+/g) ?? [];
  expect(defined(text).length).toBeGreaterThan(25);
  // A class beside it has a field of this name, and the tree a setter.
  expect(defined(assigned)).toEqual(['metadata']);
  const absolute = assigned.replaceAll(
    /from "(\.[^"]+)"/g,
    (_, path: string) => `from "${new URL(path, pathToFileURL(file)).href}"`,
  );
  const made = (await import(`data:text/javascript,${encodeURIComponent(absolute)}`)) as {
    RunTree: typeof RunTree;
  };
  const config: RunTreeConfig = {
    id: '019a0000-0000-7000-8000-000000000001',
    name: 'run',
    start_time: 1,
    project_name: 'p',
    metadata: { a: 1 },
    tracingEnabled: true,
  };
  const fieldsOf = (tree: RunTree) =>
    Object.entries(Object.getOwnPropertyDescriptors(tree)).filter(([name]) => name !== 'client');
  const [ours, theirs] = [new made.RunTree(config), new RunTree(config)];
  expect(fieldsOf(ours)).toEqual(fieldsOf(theirs));
  expect(fieldsOf(ours.createChild({ ...config, name: 'child' })).map(([name]) => name)).toEqual(
    fieldsOf(theirs.createChild({ ...config, name: 'child' })).map(([name]) => name),
  );
});

test('when a field has a setter, then it stays defined', () => {
  const field = (name: string) =>
    `Object.defineProperty(this, "${name}", { enumerable: true, configurable: true, writable: true, value: void 0 });`;
  const source = `class A { constructor() { ${field('a')} ${field('b')} } set b(value) {} }`;
  expect(assignedFields(source)).toBe(
    `class A { constructor() { this.a = void 0; ${field('b')} } set b(value) {} }`,
  );
});

test('when a client measures runs, then it does so roughly, in every form in which it is written', () => {
  for (const name of ['client.js', 'client.mjs']) {
    const text = readFileSync(fileOf(name), 'utf8');
    const lean = roughlySized(text);
    expect(lean).toContain('const size = roughSize(item.item);');
    expect(lean).toMatch(/\nfunction roughSize\(value/);
    expect(lean).not.toMatch(/SerializedSize\)?\(item\.item\)/);
  }
  for (const write of ['serializePayloadForTracing', '(0, index_js_3.serialize)']) {
    const older = `const size = ${write}(item.item, \`Serializing run with id: \${item.item.id}\`).length;`;
    expect(roughlySized(older)).toMatch(/^const size = roughSize\(item\.item\);\n/);
  }
  expect(roughlySized('const size = other(item.item).size;')).toBe('const size = other(item.item).size;');
});

test('when a size is rough, then it is about that of what is sent', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const written = Buffer.byteLength(JSON.stringify(value));
      expect(roughSize(value)).toBeGreaterThan(written / 4);
      expect(roughSize(value)).toBeLessThan(written * 4 + 100);
    }),
  );
  expect(roughSize(Array.from({ length: 100_000 }, () => 'word'))).toBeGreaterThan(600_000);
  expect(roughSize('長'.repeat(1000))).toBeGreaterThan(3000);
});

test('when a value holds anything, then a size is found, and soon', () => {
  const failing = {
    get field(): string {
      throw new Error('none');
    },
    text: 'x'.repeat(1000),
  };
  expect(roughSize([failing, new Uint8Array(100), undefined, () => 1, 2n])).toBeGreaterThan(1400);
  const parent: Record<string, object> = {};
  for (let at = 0; at < 50; at += 1) parent[`child_${at}`] = { parent, text: 'x'.repeat(100) };
  expect(roughSize(parent)).toBeGreaterThan(5000);
  let deep: unknown = 'end';
  for (let at = 0; at < 100_000; at += 1) deep = { deep };
  expect(roughSize(deep)).toBeGreaterThan(100);
});
