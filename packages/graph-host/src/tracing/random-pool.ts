/**
 * Random values from a pool. Node asks its generator at each call, which costs ten times as much as the few bytes that an id
 * takes; LangGraph and LangChain's tracer draw a dozen and more of such ids in each step. As Node's own `randomUUID` does.
 */

const POOL_BYTES = 8192;
/** Larger arrays are filled at once, as before. */
const MAX_BYTES = 64;

type IntegerView = Exclude<NodeJS.TypedArray, Float16Array | Float32Array | Float64Array>;
type Draw = <T extends IntegerView>(into: T) => T;

/** Draws from `draw`, much at a time. What was handed out is erased in the pool. */
export function pooled(draw: Draw): Draw {
  const pool = new Uint8Array(POOL_BYTES);
  let left = 0;
  return (into) => {
    // The original refuses anything but an array of integers, in its own words.
    if (!(into instanceof Uint8Array) || into.byteLength > MAX_BYTES) return draw(into);
    if (left < into.byteLength) {
      draw(pool);
      left = POOL_BYTES;
    }
    const from = left - into.byteLength;
    for (let at = 0; at < into.byteLength; at += 1) into[at] = pool[from + at] ?? 0;
    pool.fill(0, from, left);
    left = from;
    return into;
  };
}

/** For all code of this process that asks for random values by the web's interface. */
export function poolRandomValues(): void {
  const { crypto } = globalThis;
  const draw: Draw = crypto.getRandomValues.bind(crypto);
  const prototype: object = Object.getPrototypeOf(crypto);
  Object.defineProperty(prototype, 'getRandomValues', {
    ...Object.getOwnPropertyDescriptor(prototype, 'getRandomValues'),
    value: pooled(draw),
  });
}
