import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { JsonSchema } from '../values/schema-rules.ts';
import { typeSchema } from '../modules/type-schema.ts';
import type { Checker, SourceFile, TypeScript } from '../modules/typescript-api.ts';

/**
 * A thread that asks the project's own TypeScript for the types of a graph, for states that say nothing of themselves at run
 * time. It looks from a file that exists in memory only, beside the graph's.
 */

export interface StaticTask {
  /** Where the project's TypeScript is. */
  readonly typescript: string;
  readonly file: string;
  readonly export_name: string;
  /** The project's own `tsconfig.json`. */
  readonly tsconfig?: string;
}

/** The types of a graph that are described, each by the name of its alias. */
export type StaticSchemas = Readonly<Record<'Input' | 'Output' | 'Context', JsonSchema>>;

const { typescript, file, export_name, tsconfig } = workerData as StaticTask;
const ts = createRequire(file)(typescript) as TypeScript;

function readSchemas(): StaticSchemas {
  const path = join(dirname(file), '__roadstead-schemas.ts');
  const options = { ...optionsOf(), ...ours() };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  const source = ts.createSourceFile(path, textOf(), ts.ScriptTarget.ESNext);
  Object.assign(host, {
    fileExists: (one: string) => one === path || fileExists.call(host, one),
    readFile: (one: string) => (one === path ? textOf() : readFile.call(host, one)),
    getSourceFile: (one: string, ...rest: unknown[]) =>
      one === path ? source : getSourceFile.call(host, one, ...rest),
  });
  const program = ts.createProgram([path], options, host);
  return schemasIn(source, program.getTypeChecker());
}

function schemasIn(source: SourceFile, checker: Checker): StaticSchemas {
  const of = (name: string): JsonSchema => {
    const alias = source.statements.find((one) => one.name?.text === name);
    return alias === undefined
      ? {}
      : typeSchema({ ts, checker, file: source }, checker.getTypeAtLocation(alias));
  };
  return { Input: of('Input'), Output: of('Output'), Context: of('Context') };
}

/** A graph may be exported as such, as its builder, within an agent, as a promise or by a function that makes it. */
function textOf(): string {
  return `
    import { ${export_name} as exported } from './${basename(file)}';
    type Of<T> = T extends (...args: any) => infer R ? In<Awaited<R>> : In<Awaited<T>>;
    type In<T> = T extends { '~InputType': any } ? T
      : T extends { graph: infer G } ? G
      : T extends { compile: (...args: any) => infer C } ? C : never;
    type Graph = Of<typeof exported>;
    type Options = Graph extends { invoke: (input: any, options?: infer O) => any } ? NonNullable<O> : never;
    export type Input = Graph extends { '~InputType': infer I } ? I : unknown;
    export type Output = Graph extends { '~OutputType': infer O } ? O : unknown;
    export type Context = Options extends { context?: infer C } ? NonNullable<C> : unknown;
  `;
}

/** Such as `paths` and `baseUrl`; a configuration that can't be read is left aside. */
function optionsOf(): Readonly<Record<string, unknown>> {
  if (tsconfig === undefined) return {};
  const { config } = ts.readConfigFile(tsconfig, (path) => ts.sys.readFile(path));
  return config === undefined ? {} : ts.parseJsonConfigFileContent(config, ts.sys, dirname(tsconfig)).options;
}

function ours(): Readonly<Record<string, unknown>> {
  return {
    noEmit: true,
    composite: false,
    incremental: false,
    declaration: false,
    allowJs: true,
    strict: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: [],
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(typeof ts.createProgram === 'function' ? readSchemas() : null);
