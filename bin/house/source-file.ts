import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { type Comment, parseSync } from 'oxc-parser';

interface Import {
  /** Path of the imported file, from the root of the checkout; absent for a package. */
  readonly file: string | undefined;
  readonly is_type_only: boolean;
}

/** A file of a package, read and parsed once. Paths are relative to the root of the checkout. */
export interface SourceFile {
  readonly path: string;
  readonly package: string;
  /** The folder below `src`, with `.` for `src` itself. */
  readonly folder: string;
  readonly is_test: boolean;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Lines of each function, blank ones and comments included. */
  readonly function_lines: readonly number[];
  /** Names of interfaces, type aliases and classes. */
  readonly type_names: readonly string[];
  readonly comments: readonly Comment[];
  readonly test_titles: readonly string[];
}

const isTest = (path: string) => /\.test\.ts$|\/testing\/|\.suite\.ts$/.test(path);

export function readSources(root: string): SourceFile[] {
  const packages = readdirSync(join(root, 'packages'));
  return packages.flatMap((name) => {
    const src = join(root, 'packages', name, 'src');
    return readdirSync(src, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => readSource(root, { path: join(entry.parentPath, entry.name), src, name }));
  });
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
  const place = relative(root, path).split(sep).join('/');
  const found: Found = { function_lines: [], type_names: [], test_titles: [] };
  walk(program as unknown as Node, (node) => lookAt(node, text, found));
  const imports = [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({
      source: moduleRequest.value,
      is_type_only: entries.length > 0 && entries.every(({ isType }) => isType),
    })),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) =>
        moduleRequest === null ? [] : [{ source: moduleRequest.value, is_type_only: isType }],
      ),
    ),
  ];
  const [top = '', ...below] = relative(src, path).split(sep);
  return {
    path: place,
    package: name,
    folder: below.length === 0 ? '.' : top,
    is_test: isTest(place),
    lines: text.split('\n').length - 1,
    imports: imports.map(({ source, is_type_only }) => ({
      file: source.startsWith('.')
        ? relative(root, join(dirname(path), source))
            .split(sep)
            .join('/')
        : undefined,
      is_type_only,
    })),
    ...found,
    comments,
  };
}

interface Found {
  readonly function_lines: number[];
  readonly type_names: string[];
  readonly test_titles: string[];
}

const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const types = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'ClassDeclaration']);

function lookAt(node: Node, text: string, found: Found): void {
  if (functions.has(node.type))
    found.function_lines.push(text.slice(node.start as number, node.end as number).split('\n').length);
  if (types.has(node.type) && node.id !== null) found.type_names.push((node.id as { name: string }).name);
  if (node.type === 'CallExpression') {
    const title = titleOf(node);
    if (title !== undefined) found.test_titles.push(title);
  }
}

/** Of `test('title', …)` and its variants. */
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
