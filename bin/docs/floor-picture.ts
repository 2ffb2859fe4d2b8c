import type { FolderImport } from '../house/floor-rules.ts';

/** Draws the folders of a package as a house: each stands above all that it imports. */

interface PackageFloors {
  readonly name: string;
  /** Folders, lowest first. */
  readonly floors: readonly string[];
  readonly imports: readonly FolderImport[];
}

const WIDTH = 960;
const MARGIN = 16;
const BOX = { height: 30, gap: 10, padding: 14, letter: 7.6 } as const;
const LANE_PADDING = 9;

export function drawFloors({ name, floors, imports }: PackageFloors): string {
  const rows = storeysOf(floors, imports).toReversed();
  let y = MARGIN;
  const parts: string[] = [];
  for (const row of rows) {
    const lines = wrapped(row);
    const height = 2 * LANE_PADDING + lines.length * (BOX.height + BOX.gap) - BOX.gap;
    parts.push(
      `<rect class="lane" x="${MARGIN}" y="${y}" width="${WIDTH - 2 * MARGIN}" height="${height}" rx="6"/>`,
    );
    for (const [at, line] of lines.entries())
      parts.push(...boxesOf(line, { y: y + LANE_PADDING + at * (BOX.height + BOX.gap), imports }));
    y += height + BOX.gap;
  }
  const height = y - BOX.gap + MARGIN;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">The floors of ${name}</title>`,
    `<desc id="desc">From the top: ${rows.map((row) => row.map(labelOf).join(', ')).join('. ')}.</desc>`,
    STYLE,
    `<rect class="panel" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>`,
    ...parts,
    '</svg>',
  ].join('\n')}\n`;
}

/** Folders by the longest way down from them: those of the first row import no other. */
export function storeysOf(floors: readonly string[], imports: readonly FolderImport[]): string[][] {
  const below = new Map(floors.map((folder) => [folder, new Set<string>()]));
  for (const { from, to } of imports) below.get(from)?.add(to);
  const levels = new Map<string, number>();
  // Lower floors come first, so that all that a folder imports has its level already.
  for (const folder of floors)
    levels.set(
      folder,
      1 + Math.max(-1, ...[...(below.get(folder) ?? [])].map((one) => levels.get(one) ?? -1)),
    );
  const rows = Map.groupBy(floors, (folder) => levels.get(folder) ?? 0);
  return [...rows].sort(([one], [other]) => one - other).map(([, row]) => row);
}

const labelOf = (folder: string) => (folder === '.' ? 'src' : folder);
const widthOf = (folder: string) => Math.ceil(labelOf(folder).length * BOX.letter) + 2 * BOX.padding;

/** The boxes of a row in as many lines as they need. */
function wrapped(row: readonly string[]): string[][] {
  const lines: string[][] = [[]];
  let room = WIDTH - 4 * MARGIN;
  for (const folder of row) {
    const width = widthOf(folder) + BOX.gap;
    if (width > room && lines.at(-1)?.length !== 0) {
      lines.push([]);
      room = WIDTH - 4 * MARGIN;
    }
    room -= width;
    lines.at(-1)?.push(folder);
  }
  return lines;
}

function boxesOf(
  line: readonly string[],
  { y, imports }: { readonly y: number; readonly imports: readonly FolderImport[] },
): string[] {
  const whole = line.reduce((sum, folder) => sum + widthOf(folder) + BOX.gap, -BOX.gap);
  let x = (WIDTH - whole) / 2;
  return line.map((folder) => {
    const width = widthOf(folder);
    const used = [...new Set(imports.filter(({ from }) => from === folder).map(({ to }) => labelOf(to)))];
    const says = used.length === 0 ? 'imports no other folder' : `imports ${used.sort().join(', ')}`;
    const box =
      `<g><title>${labelOf(folder)} ${says}</title>` +
      `<rect class="box" x="${x}" y="${y}" width="${width}" height="${BOX.height}" rx="4"/>` +
      `<text text-anchor="middle" x="${x + width / 2}" y="${y + 20}">${labelOf(folder)}</text></g>`;
    x += width + BOX.gap;
    return box;
  });
}

const STYLE = `<style>
text { font: 13px system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; fill: #1f2328; }
.panel { fill: #ffffff; stroke: #d0d7de; }
.lane { fill: #f6f8fa; stroke: #d0d7de; }
.box { fill: #ffffff; stroke: #6e7781; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.panel { fill: #0d1117; stroke: #30363d; }
.lane { fill: #161b22; stroke: #30363d; }
.box { fill: #0d1117; stroke: #8b949e; }
}
</style>`;
