import ElkApi, { type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk-api.js';
import elkWorker from 'elkjs/lib/elk-worker.min.js?url';
import type { GraphDrawing, DrawnEdge, DrawnNode } from './graph-rules.ts';

/** Where nodes and edges of a graph stand; computed by a worker, so that the page is never held. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly (DrawnNode & Box)[];
  readonly edges: readonly (DrawnEdge & {
    readonly points: readonly Point[];
    readonly labelAt: Point | undefined;
  })[];
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

let elk: InstanceType<typeof ElkApi> | undefined;

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.spacing.nodeNodeBetweenLayers': '40',
  'elk.spacing.nodeNode': '28',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.padding': '[top=12,left=12,bottom=12,right=12]',
};

export async function layOut({ nodes, edges }: GraphDrawing): Promise<Layout> {
  elk ??= new ElkApi({ workerFactory: () => new Worker(elkWorker) });
  const below = Map.groupBy(nodes, ({ parent }) => parent);
  const root: ElkNode = {
    id: 'graph',
    layoutOptions: OPTIONS,
    children: (below.get(undefined) ?? []).map((node) => elkNode(node, below)),
    edges: edges.map(elkEdge),
  };
  const laid: ElkNode = await elk.layout(root);
  const boxes = new Map<string, Box>();
  collectBoxes(laid.children ?? [], boxes);
  const byId = new Map((laid.edges ?? []).map((edge) => [edge.id, edge]));
  return {
    width: laid.width ?? 0,
    height: laid.height ?? 0,
    nodes: nodes.map((node) => ({ ...node, ...(boxes.get(node.id) ?? NOWHERE) })),
    edges: edges.map((edge) => ({
      ...edge,
      points: pointsOf(byId.get(edge.id)),
      labelAt: labelOf(byId.get(edge.id)),
    })),
  };
}

const NOWHERE: Box = { x: 0, y: 0, width: 0, height: 0 };
const layers: Readonly<Record<string, string>> = { start: 'FIRST', end: 'LAST' };
const LETTER = 7.6;
const [NODE_HEIGHT, LABEL_HEIGHT] = [34, 16];

function elkNode(node: DrawnNode, below: ReadonlyMap<string | undefined, readonly DrawnNode[]>): ElkNode {
  const { id, label, kind } = node;
  if (kind === 'group')
    return {
      id,
      layoutOptions: { 'elk.padding': '[top=38,left=14,bottom=14,right=14]' },
      children: (below.get(id) ?? []).map((child) => elkNode(child, below)),
    };
  const layer = layers[kind];
  return {
    id,
    width: Math.max(64, label.length * LETTER + 44),
    height: NODE_HEIGHT,
    ...(layer !== undefined && { layoutOptions: { 'elk.layered.layering.layerConstraint': layer } }),
  };
}

const elkEdge = ({ id, source, target, label }: DrawnEdge): ElkExtendedEdge => ({
  id,
  sources: [source],
  targets: [target],
  ...(label !== undefined && {
    labels: [{ text: label, width: label.length * LETTER, height: LABEL_HEIGHT }],
  }),
});

function collectBoxes(nodes: readonly ElkNode[], boxes: Map<string, Box>): void {
  for (const { id, x = 0, y = 0, width = 0, height = 0, children = [] } of nodes) {
    boxes.set(id, { x, y, width, height });
    collectBoxes(children, boxes);
  }
}

const pointsOf = (edge: ElkExtendedEdge | undefined): readonly Point[] =>
  (edge?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) => [
    startPoint,
    ...bendPoints,
    endPoint,
  ]);

function labelOf(edge: ElkExtendedEdge | undefined): Point | undefined {
  const label = edge?.labels?.[0];
  return label?.x === undefined || label.y === undefined
    ? undefined
    : { x: label.x, y: label.y + LABEL_HEIGHT - 4 };
}
