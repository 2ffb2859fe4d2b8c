import { outlineAt, type Path, textAt } from './json-outline-rules.ts';

/** Holds one large JSON value away from the page, and answers what is looked at. */

export type JsonAsk =
  | { readonly id: number; readonly kind: 'open'; readonly bytes: Uint8Array<ArrayBuffer> }
  | {
      readonly id: number;
      readonly kind: 'outline' | 'text';
      readonly path: Path;
      readonly from: number;
      readonly length: number;
    };

export interface JsonAnswer {
  readonly id: number;
  readonly answer?: unknown;
  readonly fault?: string;
}

let value: unknown;

function answerOf(ask: JsonAsk): unknown {
  if (ask.kind === 'open') {
    value = JSON.parse(new TextDecoder().decode(ask.bytes));
    return undefined;
  }
  return ask.kind === 'outline' ? outlineAt(value, ask) : textAt(value, ask);
}

onmessage = ({ data }: MessageEvent<JsonAsk>) => {
  try {
    postMessage({ id: data.id, answer: answerOf(data) });
  } catch (error) {
    postMessage({ id: data.id, fault: error instanceof Error ? error.message : String(error) });
  }
};
