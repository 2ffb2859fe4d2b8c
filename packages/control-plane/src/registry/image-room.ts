import { Problem, uuidv7 } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { nextStep, spaceOf } from './room-rules.ts';
import { growReservation, type Reservation, renewReservation, settleReservation } from './room-store.ts';

type RoomContext = Pick<Context, 'db' | 'images' | 'log'>;

const RENEWAL_MS = 300_000;

export interface RoomRequest {
  readonly workspace_id: string;
  readonly upload_id?: string | undefined;
  /** How many bytes its client says that will come. */
  readonly expected?: number | undefined;
}

/**
 * Room on the disk for the bytes of one request, kept before they come, so that what a workspace has there is never more than it may,
 * however much of it is on its way, named by nothing yet, or not any more. Disposing gives back what was not taken.
 */
export class KeptRoom implements AsyncDisposable {
  readonly #context: RoomContext;
  readonly #reservation: Reservation;
  #kept = 0;
  #used = 0;
  #renewed_ms = Date.now();

  private constructor(context: RoomContext, { workspace_id, upload_id }: RoomRequest) {
    this.#context = context;
    this.#reservation = { id: uuidv7(), workspace_id, upload_id };
  }

  /** @throws Problem `forbidden` where what is expected does not fit */
  static async open(context: RoomContext, request: RoomRequest): Promise<KeptRoom> {
    const room = new KeptRoom(context, request);
    const { expected = 0 } = request;
    const { max_bytes } = context.images;
    if (expected > max_bytes) throw noRoom(max_bytes);
    if (expected > 0 && !(await room.#tryGrow(spaceOf(expected)))) throw noRoom(max_bytes);
    return room;
  }

  /** Passes bytes on for which there is room. */
  async *pass(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.#used += chunk.length;
      const missing = spaceOf(this.#used) - this.#kept;
      if (missing > 0) await this.#grow(missing);
      else if (Date.now() - this.#renewed_ms > RENEWAL_MS) await this.#renew();
      yield chunk;
    }
  }

  /** Takes what came, as the last statement of the transaction that records it. @param taken the space that did not count before */
  async settle(tx: Transaction, taken: number): Promise<void> {
    const { max_bytes } = this.#context.images;
    if (!(await settleReservation(tx, this.#reservation, { taken, max_bytes }))) throw noRoom(max_bytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#kept === 0) return;
    const { db, images, log } = this.#context;
    const { max_bytes } = images;
    try {
      // Where it was settled, there is nothing to give back.
      await db.transaction((tx) => settleReservation(tx, this.#reservation, { taken: 0, max_bytes }));
    } catch (error) {
      log.warn('room for an image is kept until it expires', { error });
    }
  }

  async #grow(missing: number): Promise<void> {
    const step = nextStep(this.#kept, missing);
    if (await this.#tryGrow(step)) return;
    if (step === missing || !(await this.#tryGrow(missing))) throw noRoom(this.#context.images.max_bytes);
  }

  async #tryGrow(bytes: number): Promise<boolean> {
    const { db, images } = this.#context;
    const { max_bytes } = images;
    if (!(await growReservation(db, this.#reservation, { bytes, max_bytes }))) return false;
    this.#kept += bytes;
    this.#renewed_ms = Date.now();
    return true;
  }

  async #renew(): Promise<void> {
    this.#renewed_ms = Date.now();
    await renewReservation(this.#context.db, this.#reservation);
  }
}

const GB = 1_000_000_000;

const noRoom = (max_bytes: number) =>
  new Problem('forbidden', `The images of this workspace may take ${max_bytes / GB} GB, which are used up.`, {
    code: 'DENIED',
    hint: 'Delete images or deployments that are not used: that makes room within two hours, for layers of the last day a day after their push. Or have the operator raise ROADSTEAD_IMAGES_GB.',
  });
