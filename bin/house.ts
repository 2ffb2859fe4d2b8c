// `npm run house`: the figures of the house.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commandOptions, endForUse } from '@roadstead/testing/processes';
import { circlesOf, deriveFloors, edgesOf, folderImports, upwardImports } from './house/floor-rules.ts';
import { readSources, type SourceFile } from './house/source-file.ts';
import { loneFiles, recurringShapes } from './house/reuse-rules.ts';
import { isBareParticiple, isHeadless, isRiddle } from './house/word-rules.ts';

const usage = `npm run house [-- --package NAME]

  Per package: sizes, roles, floors, circles and words. With --package also what is counted: each upward import,
  circle, object type that parameters repeat, small file that one file imports, type named by a participle, comment without a
  subject and title without when and then. Words are counted in tests too.
`;
const root = dirname(import.meta.dirname);
const { values } = commandOptions(usage, { options: { package: { type: 'string' } } });

const sources = readSources(root);
const packages = [...Map.groupBy(sources, (file) => file.package)]
  .filter(([name]) => values.package === undefined || name === values.package)
  .map(([name, files]) => ({ name, ...figuresOf(name, files) }))
  .sort((one, other) => other.lines - one.lines);
if (packages.length === 0) endForUse(`There is no package ${values.package ?? ''}.`, usage);

const columns = {
  package: ({ name }) => name,
  files: ({ files }) => files,
  lines: ({ lines }) => lines,
  tests: ({ test_lines }) => test_lines,
  'median/p90/max': ({ sizes }) => sizes,
  'functions > 70': ({ long_functions }) => long_functions,
  'with a role': ({ with_role }) => `${with_role} %`,
  folders: ({ folders }) => folders,
  'floors named': ({ has_floors }) => (has_floors ? 'yes' : 'no'),
  'upward imports': ({ upward }) => upward.length,
  'folders in circles': ({ folder_circles }) => folder_circles.flat().length,
  'files in circles': ({ file_circles }) => file_circles.flat().length,
  'inline types': ({ inline_types }) => inline_types,
  'shapes > 2': ({ shapes }) => shapes.length,
  'files for one': ({ lone }) => lone.length,
  participles: ({ participles }) => participles.length,
  'headless comments': ({ headless }) => headless.length,
  titles: ({ titles }) => titles,
  'without when, > 90': ({ riddles }) => riddles.length,
} satisfies Record<string, (one: (typeof packages)[number]) => string | number>;

const rows = [
  Object.keys(columns),
  ...packages.map((one) => Object.values(columns).map((of) => String(of(one)))),
];
const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
for (const row of rows)
  process.stdout.write(`| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |\n`);
const sum = (of: (one: (typeof packages)[number]) => number) =>
  packages.reduce((all, one) => all + of(one), 0);
process.stdout.write(
  `\n${sum(({ files }) => files)} files, ${sum(({ lines }) => lines)} lines, ${sum(({ test_lines }) => test_lines)} of tests; ` +
    `${sum(({ upward }) => upward.length)} upward imports, ${sum(({ file_circles }) => file_circles.length)} circles of files, ` +
    `${sum(({ participles }) => participles.length)} participles, ${sum(({ headless }) => headless.length)} headless comments, ` +
    `${sum(({ riddles }) => riddles.length)} of ${sum(({ titles }) => titles)} titles without when and then, or too long\n`,
);
const [only] = packages;
if (values.package !== undefined && only !== undefined) {
  const { floors, upward, file_circles, folder_circles, shapes, lone, participles, headless, riddles } = only;
  const lists = {
    'floors, lowest first': floors,
    'upward imports': upward.map(({ file, imported }) => `${file} -> ${imported}`),
    'circles of folders': folder_circles.map((circle) => circle.join(' ')),
    'circles of files': file_circles.map((circle) => circle.join(' ')),
    'object types that parameters repeat': shapes,
    'small files that one file imports': lone,
    'types named by a participle': participles,
    'comments without a subject': headless,
    'titles without when and then, or too long': riddles,
  };
  for (const [title, lines] of Object.entries(lists))
    process.stdout.write(`\n${title} (${lines.length})\n${lines.map((line) => `  ${line}\n`).join('')}`);
}

function figuresOf(name: string, all: readonly SourceFile[]) {
  const files = all.filter(({ is_test }) => !is_test);
  const sizes = files.map(({ lines }) => lines).sort((one, other) => one - other);
  const at = (part: number) => sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * part))] ?? 0;
  const imports = folderImports(files);
  const folders = [...new Set(files.map(({ folder }) => folder))];
  const named = readFloors(name);
  const floors = named ?? deriveFloors(imports, folders);
  const paths = new Set(files.map(({ path }) => path));
  const where = (file: SourceFile, text: string) => `${file.path}: ${text}`;
  const riddles = all.flatMap((file) => file.test_titles.filter(isRiddle).map((title) => where(file, title)));
  return {
    files: files.length,
    lines: sizes.reduce((sum, lines) => sum + lines, 0),
    test_lines: all.filter(({ is_test }) => is_test).reduce((sum, { lines }) => sum + lines, 0),
    sizes: `${at(0.5)}/${at(0.9)}/${at(1)}`,
    long_functions: files.flatMap(({ function_lines }) => function_lines).filter((lines) => lines > 70)
      .length,
    with_role: Math.round(
      (100 * files.filter(({ path }) => hasRole(path)).length) / Math.max(1, files.length),
    ),
    folders: folders.filter((folder) => folder !== '.').length,
    has_floors: named !== undefined,
    floors,
    upward: upwardImports(imports, floors),
    folder_circles: circlesOf(edgesOf(imports.map(({ from, to }) => [from, to] as const))),
    file_circles: circlesOf(
      edgesOf(
        files.flatMap((file) =>
          file.imports.filter((target) => paths.has(target)).map((target) => [file.path, target] as const),
        ),
      ),
    ),
    inline_types: files.flatMap(({ parameter_shapes }) => parameter_shapes).length,
    shapes: recurringShapes(files),
    lone: loneFiles(files),
    participles: all.flatMap((file) =>
      file.type_names.filter(isBareParticiple).map((type) => where(file, type)),
    ),
    headless: all.flatMap((file) =>
      file.comments
        .filter(({ value }) => isHeadless(value))
        .map(({ value }) => where(file, value.trim().slice(0, 100))),
    ),
    titles: all.flatMap(({ test_titles }) => test_titles).length,
    riddles,
  };
}

function hasRole(path: string): boolean {
  return /-(?:routes|rules|store|work|loop|codec|migrations)\.ts$|\/migrations\//.test(path);
}

/** The floors that a package names, lowest first. */
function readFloors(name: string): readonly string[] | undefined {
  const file = join(root, 'packages', name, 'floors.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : undefined;
}
