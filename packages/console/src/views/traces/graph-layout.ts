import Elk, { type ElkExtendedEdge, type ElkNode, type ElkPoint } from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import type { AgentGraph, GraphNode } from './tree-rules.ts';

/** Places the boxes and lines of a graph, in a worker. */

export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly {
    readonly node: GraphNode;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }[];
  readonly lines: readonly {
    readonly id: string;
    readonly points: readonly ElkPoint[];
    readonly times: number;
    readonly label: ElkPoint;
  }[];
}

const [WIDTH, HEIGHT] = [210, 50];

export async function layoutOf({ nodes, edges }: AgentGraph): Promise<PlacedGraph> {
  const elk = new Elk({ workerUrl });
  try {
    const graph: ElkNode = {
      id: 'graph',
      layoutOptions: {
        'elk.algorithm': 'layered',
        'elk.direction': 'DOWN',
        'elk.edgeRouting': 'POLYLINE',
        'elk.layered.spacing.nodeNodeBetweenLayers': '48',
        'elk.spacing.nodeNode': '32',
      },
      children: nodes.map(({ id }) => ({ id, width: WIDTH, height: HEIGHT })),
      edges: edges.map(({ from, to }, index) => ({ id: String(index), sources: [from], targets: [to] })),
    };
    const placed = await elk.layout(graph);
    const by_id = new Map(nodes.map((node) => [node.id, node]));
    return {
      width: placed.width ?? 0,
      height: placed.height ?? 0,
      boxes: (placed.children ?? []).flatMap(({ id, x = 0, y = 0 }) => {
        const node = by_id.get(id);
        return node === undefined ? [] : [{ node, x, y, width: WIDTH, height: HEIGHT }];
      }),
      lines: (placed.edges ?? []).map((edge) => {
        const points = pointsOf(edge);
        const label = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
        return { id: edge.id, points, label, times: edges[Number(edge.id)]?.times ?? 1 };
      }),
    };
  } finally {
    elk.terminateWorker();
  }
}

const pointsOf = ({ sections = [] }: ElkExtendedEdge): readonly ElkPoint[] =>
  sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint]);
