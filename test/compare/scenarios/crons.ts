import type { Scenario } from '../calls/call.ts';
import { madeBy, NOBODY, says } from './says.ts';

const mine = madeBy('crons').metadata;
const yearly = { schedule: '0 0 1 1 *', input: says('x') };

export const crons: readonly Scenario[] = [
  {
    name: 'crons',
    project: 'open',
    calls: [
      { method: 'crons.create', at: ['starter'], with: { ...yearly, metadata: mine }, keep: 'cron' },
      { method: 'threads.create', with: madeBy('crons'), keep: 'thread' },
      {
        method: 'crons.create_for_thread',
        at: ['$thread.thread_id', 'starter'],
        with: { ...yearly, metadata: mine },
      },
      { method: 'crons.create', at: ['starter'], with: { schedule: 'never', input: says('x') } },
      { method: 'crons.create', at: ['nothing'], with: yearly },
      {
        method: 'crons.create',
        at: ['starter'],
        with: {
          ...yearly,
          metadata: mine,
          timezone: 'Europe/Berlin',
          end_time: '2099-01-01T00:00:00Z',
          enabled: false,
        },
      },
      { method: 'crons.search', with: { metadata: mine, sort_by: 'created_at', sort_order: 'asc' } },
      { method: 'crons.search', with: { thread_id: '$thread.thread_id' } },
      { method: 'crons.count', with: { metadata: mine } },
      { method: 'crons.update', at: ['$cron.cron_id'], with: { schedule: '0 0 2 2 *' } },
      { method: 'crons.update', at: ['$cron.cron_id'], with: { enabled: false } },
      { method: 'crons.update', at: [NOBODY], with: { enabled: false } },
      { method: 'crons.delete', at: ['$cron.cron_id'] },
      { method: 'crons.delete', at: [NOBODY] },
    ],
  },
];
