import type { Migration } from '@roadstead/kit';
import { initial } from './0001-initial.ts';

/** Every step of the schema `traces`, in order. */
export const migrations: readonly Migration[] = [initial];
