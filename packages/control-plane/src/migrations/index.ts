import type { Migration } from '@roadstead/kit';
import { initial } from './0001-initial.ts';

export const migrations: readonly Migration[] = [initial];
