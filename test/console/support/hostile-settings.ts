import { type HostilePart, hostileName, make, removing, shows, WORD } from './hostile-texts.ts';
import { shortOf } from './payloads.ts';

/** Settings and alerts whose every text is an attack. */

export async function makeSettings(project: string): Promise<HostilePart> {
  const key = await make('/v2/api-keys', { name: hostileName(100), scopes: ['reader'] });
  const hook = await make('/v2/webhooks', {
    url: `https://evil.invalid/${WORD}?${encodeURI(shortOf(500))}`,
    enabled: false,
  });
  const listener = await make('/v2/listeners', {
    compute_type: 'container',
    compute_id: hostileName(200),
    compute_config: {},
  });
  const integration = await make('/v2/integrations', {
    kind: 'generic',
    name: hostileName(100),
    host: 'git.example.com',
  });
  const webhooks = [
    {
      url: `https://evil.invalid/${WORD}?${encodeURI(shortOf(300))}`,
      headers: { 'x-hostile': hostileName(300).replaceAll(/[^ -~]/g, '') },
    },
  ];
  const rule = await make('/runs/rules', {
    display_name: hostileName(300),
    sampling_rate: 1,
    is_enabled: false,
    session_id: project,
    filter: `eq(name, ${JSON.stringify(shortOf(200))})`,
    webhooks,
  });
  const alert = await make('/v2/alerts', {
    name: hostileName(200),
    metric: 'feedback_average',
    feedback_key: hostileName(100),
    window_s: 60,
    comparison: 'above',
    threshold: 1,
    is_enabled: false,
    webhooks,
    project_ids: [project],
    filter: `eq(name, ${JSON.stringify(shortOf(200))})`,
  });
  const price = await make('/model-price-map', {
    name: hostileName(200),
    match_pattern: WORD,
    provider: shortOf(150),
    prompt_cost: 0.1,
    completion_cost: 0.1,
  });
  return {
    views: [
      shows('/settings/keys'),
      shows('/settings/listeners'),
      shows('/settings/webhooks'),
      shows(`/settings/webhooks/${hook.id}`),
      shows('/settings/integrations'),
      shows('/settings/rules'),
      shows(`/settings/rules/${rule.id}`),
      shows('/settings/prices'),
      shows('/settings/events'),
      shows('/alerts'),
      shows(`/alerts/${alert.id}`),
    ],
    undo: [
      removing(`/v2/api-keys/${key.id}`),
      removing(`/v2/listeners/${listener.id}`),
      removing(`/v2/webhooks/${hook.id}`),
      removing(`/v2/integrations/${integration.id}`),
      removing(`/runs/rules/${rule.id}`),
      removing(`/v2/alerts/${alert.id}`),
      removing(`/model-price-map/${price.id}`),
    ],
  };
}
