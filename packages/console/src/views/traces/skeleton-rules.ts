/** Splits the list of a trace's runs while it arrives, so that the first are shown before the last are there. Pure. */

/** What a tree shows of a run; all values are plain, so that an item is a flat object. */
export interface SkeletonRun {
  readonly id: string;
  readonly parent_run_id: string | null;
  readonly name: string;
  readonly run_type: string;
  readonly start_time: string;
  readonly latency_seconds: number | null;
  readonly status: string;
  readonly error_preview: string | null;
}

export const SKELETON_SELECTS = [
  'ID',
  'PARENT_RUN_ID',
  'NAME',
  'RUN_TYPE',
  'START_TIME',
  'LATENCY_SECONDS',
  'STATUS',
  'ERROR_PREVIEW',
];

/** Takes pieces of `{"items":[…]}` and gives the items that are whole. */
export class SkeletonReader {
  #rest = '';
  /** How far the rest is scanned, how deep that is within an item, and whether it is within a text. */
  #at = 0;
  #depth = 0;
  #isText = false;
  #isBegun = false;

  take(piece: string): readonly SkeletonRun[] {
    this.#rest += piece;
    if (!this.#isBegun) {
      const open = this.#rest.indexOf('[');
      if (open < 0) return [];
      this.#rest = this.#rest.slice(open + 1);
      this.#isBegun = true;
    }
    const end = this.#scan();
    const whole = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end);
    this.#at -= end;
    return JSON.parse(`[${whole.replace(/^\s*,/, '')}]`) as SkeletonRun[];
  }

  /** Finds the end of the last item that is whole; an escape may point behind the end, where the next piece begins. */
  #scan(): number {
    let end = 0;
    for (; this.#at < this.#rest.length; this.#at += 1) {
      const sign = this.#rest[this.#at];
      if (this.#isText) {
        if (sign === '\\') this.#at += 1;
        else if (sign === '"') this.#isText = false;
      } else if (sign === '"') this.#isText = true;
      else if (sign === '{') this.#depth += 1;
      else if (sign === '}') {
        this.#depth -= 1;
        if (this.#depth === 0) end = this.#at + 1;
      }
    }
    return end;
  }
}
