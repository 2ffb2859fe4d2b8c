/** Requests of SDKs: a run, its end, both in a batch, and a run in parts. */

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

const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'support-agent' } }] };

/** A span as OpenTelemetry's exporters write it. */
export const sentSpans = {
  resourceSpans: [
    {
      resource,
      scopeSpans: [
        {
          spans: [
            {
              traceId: '0123456789abcdef0123456789abcdef',
              spanId: '0123456789abcdef',
              name: 'support-agent',
              startTimeUnixNano: '1767603600000000000',
              endTimeUnixNano: '1767603601000000000',
              attributes: [{ key: 'input.value', value: { stringValue: 'Hello' } }],
            },
          ],
        },
      ],
    },
  ],
};

/** The question asked within that span, as a log record. */
export const sentLogs = {
  resourceLogs: [
    {
      resource,
      scopeLogs: [
        {
          logRecords: [
            {
              traceId: '0123456789abcdef0123456789abcdef',
              spanId: '0123456789abcdef',
              timeUnixNano: '1767603600000000000',
              eventName: 'gen_ai.user.message',
              body: { kvlistValue: { values: [{ key: 'content', value: { stringValue: 'Hello' } }] } },
            },
          ],
        },
      ],
    },
  ],
};

export const sentMetrics = {
  resourceMetrics: [
    {
      resource,
      scopeMetrics: [
        { metrics: [{ name: 'requests', sum: { dataPoints: [{ asInt: '1' }], aggregationTemporality: 2 } }] },
      ],
    },
  ],
};
