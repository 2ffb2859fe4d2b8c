import { Problem } from '@roadstead/kit';

export const tooLarge = (max_bytes: number): Problem =>
  new Problem('too_large', `The body is larger than the ${max_bytes} bytes that are allowed here.`);
