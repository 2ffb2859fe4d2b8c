import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { type Comment, parseSync } from 'oxc-parser';

/** A file of the checkout, read and parsed once. Paths are relative to its root. */
export interface SourceFile {
  readonly path: string;
  readonly package: string;
  /** The folder below `src`, with `.` for `src` itself. */
  readonly folder: string;
  readonly is_test: boolean;
  readonly lines: number;
  /** The files that it imports by a path, types included. */
  readonly imports: readonly string[];
  /** Lines of each function, blank ones and comments included. */
  readonly function_lines: readonly number[];
  /** Names of interfaces, type aliases and classes. */
  readonly type_names: readonly string[];
  /** The object types that are written within parameters, each with its members in order. */
  readonly parameter_shapes: readonly string[];
  /** How many names it exports. */
  readonly exports: number;
  readonly comments: readonly Comment[];
  readonly test_titles: readonly string[];
}

/** Folders of code beside the packages; each counts as a package. */
const OTHERS = ['bench', 'bin', 'test'];
/** Code that is not ours to word: what tests deploy, and what others wrote. */
const FOREIGN = /(?:^|\/)(?:node_modules|agents|agent|last-line)\//;
const isTest = (path: string) => /\.test\.ts$|\/testing\//.test(path);

export function readSources(root: string): SourceFile[] {
  const packages = readdirSync(join(root, 'packages')).map((name) => ({
    name,
    src: join(root, 'packages', name, 'src'),
  }));
  const others = OTHERS.map((name) => ({ name, src: join(root, name) }));
  return [...packages, ...others].flatMap(({ name, src }) =>
    readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !FOREIGN.test(file))
      .map((file) => readSource(root, { path: join(src, file), src, name })),
  );
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

function readSource(
  root: string,
  { path, src, name }: { readonly path: string; readonly src: string; readonly name: string },
): SourceFile {
  const text = readFileSync(path, 'utf8');
  const { program, comments, module } = parseSync(path, text);
  const place = placeOf(root, path);
  const found: SourceFacts = { function_lines: [], type_names: [], parameter_shapes: [], test_titles: [] };
  walk(program as unknown as Node, (node) => lookAt(node, text, found));
  const requests = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
  ];
  const [top = '', ...below] = relative(src, path).split(sep);
  return {
    path: place,
    package: name,
    folder: below.length === 0 ? '.' : top,
    is_test: isTest(place),
    lines: text.split('\n').length - 1,
    imports: requests
      .filter((request) => request.startsWith('.'))
      .map((request) => placeOf(root, join(dirname(path), request))),
    exports: module.staticExports.flatMap(({ entries }) => entries).length,
    ...found,
    test_titles: place.endsWith('.test.ts') ? found.test_titles : [],
    comments,
  };
}

const placeOf = (root: string, path: string) => relative(root, path).split(sep).join('/');

interface SourceFacts {
  readonly function_lines: number[];
  readonly type_names: string[];
  readonly parameter_shapes: string[];
  readonly test_titles: string[];
}

const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const types = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'ClassDeclaration']);

function lookAt(node: Node, text: string, found: SourceFacts): void {
  if (functions.has(node.type)) {
    found.function_lines.push(textOf(node, text).split('\n').length);
    for (const parameter of node.params as readonly Node[])
      found.parameter_shapes.push(...shapesIn(parameter, text));
  }
  if (types.has(node.type) && node.id !== null) found.type_names.push((node.id as { name: string }).name);
  if (node.type === 'CallExpression') {
    const title = titleOf(node);
    if (title !== undefined) found.test_titles.push(title);
  }
}

const textOf = (node: Node, text: string) => text.slice(node.start as number, node.end as number);

/** The members of each object type that a parameter is annotated with. */
function shapesIn(parameter: Node, text: string): string[] {
  const pattern = (parameter.parameter ?? parameter) as Node;
  const { typeAnnotation } = (pattern.left ?? pattern) as { readonly typeAnnotation?: Node | null };
  const shapes: string[] = [];
  if (typeAnnotation)
    walk(typeAnnotation, ({ type, members }) => {
      if (type === 'TSTypeLiteral') shapes.push(shapeOf(members as readonly Node[], text));
    });
  return shapes;
}

const shapeOf = (members: readonly Node[], text: string) =>
  members
    .map((member) =>
      textOf(member, text)
        .replaceAll(/\s+/g, ' ')
        .replace(/^readonly /, '')
        .replace(/[;,]$/, ''),
    )
    .sort()
    .join('; ');

/** The title of `test('title', …)` and its variants. */
function titleOf({ callee, arguments: given }: Node): string | undefined {
  let named = callee as Node;
  while (named.type === 'MemberExpression' || named.type === 'CallExpression')
    named = (named.type === 'MemberExpression' ? named.object : named.callee) as Node;
  const [first] = given as readonly Node[];
  if (named.type !== 'Identifier' || (named.name !== 'test' && named.name !== 'it')) return undefined;
  return first?.type === 'Literal' && typeof first.value === 'string' ? first.value : undefined;
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value])
      if (typeof child === 'object' && child !== null && 'type' in child) walk(child as Node, visit);
}
