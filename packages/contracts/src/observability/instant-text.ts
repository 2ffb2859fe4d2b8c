import { z } from 'zod';

/** ISO 8601, with an offset or without one. */
export const InstantText = z.iso.datetime({ offset: true, local: true });
