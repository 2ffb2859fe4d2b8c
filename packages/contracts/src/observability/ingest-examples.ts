/** What SDKs send: a run, its end, both in a batch, and a run in parts. */

export const sentRun = {
  id: '0199d3a0-0000-7000-8000-00000000000a',
  trace_id: '0199d3a0-0000-7000-8000-00000000000a',
  dotted_order: '20260105T090000000000Z0199d3a0-0000-7000-8000-00000000000a',
  name: 'support-agent',
  run_type: 'chain',
  start_time: '2026-01-05T09:00:00.000Z',
  inputs: { messages: [{ role: 'user', content: 'Hello' }] },
  session_name: 'support-agent',
};

export const sentEnd = {
  trace_id: sentRun.trace_id,
  dotted_order: sentRun.dotted_order,
  end_time: '2026-01-05T09:00:01.000Z',
  outputs: { messages: [{ role: 'assistant', content: 'Good morning' }] },
};

export const sentBatch = { post: [sentRun], patch: [{ id: sentRun.id, ...sentEnd }] };

/** The fields of a run, and its payloads verbatim beside them; the boundary is `example`. */
const { inputs, ...fields } = sentRun;
export const sentMultipart = [
  ...Object.entries({ [`post.${sentRun.id}`]: fields, [`post.${sentRun.id}.inputs`]: inputs }).flatMap(
    ([name, value]) => [
      '--example',
      `content-disposition: form-data; name="${name}"`,
      'content-type: application/json',
      '',
      JSON.stringify(value),
    ],
  ),
  '--example--',
  '',
].join('\r\n');
