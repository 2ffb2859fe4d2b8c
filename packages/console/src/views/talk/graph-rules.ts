import { textAt } from '../../words/object-rules.ts';

/** A graph as it is drawn: subgraphs are groups, which are open or closed. */
export interface DrawnNode {
  readonly id: string;
  readonly label: string;
  readonly kind: 'node' | 'group' | 'closed' | 'start' | 'end';
  readonly parent: string | undefined;
}

export interface DrawnEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly is_conditional: boolean;
  readonly label: string | undefined;
}

export interface GraphDrawing {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

interface GraphLike {
  readonly nodes: readonly object[];
  readonly edges: readonly object[];
}

const SEPARATOR = ':';
const above = (id: string): string | undefined =>
  id.includes(SEPARATOR) ? id.slice(0, id.lastIndexOf(SEPARATOR)) : undefined;
const lastPart = (id: string) => id.slice(id.lastIndexOf(SEPARATOR) + 1);

/** The ids of the groups that hold a node, outermost first. */
function groupsOf(id: string): readonly string[] {
  const parts = id.split(SEPARATOR).slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join(SEPARATOR));
}

const ends: Readonly<Record<string, Pick<DrawnNode, 'kind' | 'label'>>> = {
  __start__: { kind: 'start', label: 'start' },
  __end__: { kind: 'end', label: 'end' },
};

/** What is drawn of a graph whose subgraphs are opened, while some of them are closed. */
export function drawingOf({ nodes, edges }: GraphLike, closed: ReadonlySet<string>): GraphDrawing {
  const ids = nodes.map((node) => textAt(node, 'id') ?? '').filter((id) => id !== '');
  const shownAs = (id: string) => groupsOf(id).find((group) => closed.has(group)) ?? id;
  const shown = new Map<string, DrawnNode>();
  for (const id of ids) {
    for (const group of groupsOf(id)) {
      if (groupsOf(group).some((outer) => closed.has(outer))) break;
      shown.set(group, {
        id: group,
        label: lastPart(group),
        kind: closed.has(group) ? 'closed' : 'group',
        parent: above(group),
      });
    }
    if (shownAs(id) !== id || shown.has(id)) continue;
    const part = lastPart(id);
    shown.set(id, { id, parent: above(id), ...(ends[part] ?? { kind: 'node', label: part }) });
  }
  return { nodes: [...shown.values()], edges: edgesOf(edges, { shown, shownAs }) };
}

interface DrawnParts {
  readonly shown: ReadonlyMap<string, DrawnNode>;
  readonly shownAs: (id: string) => string;
}

function edgesOf(edges: readonly object[], { shown, shownAs }: DrawnParts): readonly DrawnEdge[] {
  const drawn = new Map<string, DrawnEdge>();
  for (const edge of edges) {
    const [from, to] = [textAt(edge, 'source'), textAt(edge, 'target')];
    if (from === undefined || to === undefined) continue;
    const [source, target] = [shownAs(from), shownAs(to)];
    if (source === target && from !== to) continue;
    if (!shown.has(source) || !shown.has(target)) continue;
    const id = `${source}→${target}`;
    const is_conditional = 'conditional' in edge && edge.conditional === true;
    drawn.set(id, { id, source, target, is_conditional, label: textAt(edge, 'data') });
  }
  return [...drawn.values()];
}

/** What the names of running nodes light: a node, the groups around it, and a closed group in its place. */
export function litBy(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => [name, ...groupsOf(name)]));
}
