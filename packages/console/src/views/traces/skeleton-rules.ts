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

const HEAD = '{"items":[';
/** Between two flat objects, and never within a text: there a quote has a backslash before it. */
const BETWEEN = '},{"';

/** Takes pieces of `{"items":[…]}` and gives the items that are whole. */
export class SkeletonReader {
  #rest = '';
  #isBegun = false;

  /** @param isLast whether nothing comes after this piece. */
  take(piece: string, { isLast }: { readonly isLast: boolean }): readonly SkeletonRun[] {
    this.#rest += piece;
    if (!this.#isBegun) {
      if (this.#rest.length < HEAD.length && !isLast) return [];
      this.#rest = this.#rest.slice(HEAD.length);
      this.#isBegun = true;
    }
    if (isLast) return this.#parse(this.#rest.replace(/\]\}\s*$/, ''));
    const end = this.#rest.lastIndexOf(BETWEEN);
    if (end < 0) return [];
    const whole = this.#rest.slice(0, end + 1);
    this.#rest = this.#rest.slice(end + 2);
    return this.#parse(whole);
  }

  #parse(objects: string): readonly SkeletonRun[] {
    return objects.trim() === '' ? [] : (JSON.parse(`[${objects}]`) as SkeletonRun[]);
  }
}
