import { outboxDueMigration } from '@roadstead/outbound';

export const outboxDue = outboxDueMigration(41);
