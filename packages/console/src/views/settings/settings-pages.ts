import { at } from '../../router/addresses.ts';
import type { NamedPage } from '../../shell/menu-entries.ts';

/** The pages of the settings, in their order. */
interface SettingsPage extends NamedPage {
  readonly group: 'Access' | 'Deploying' | 'Tracing' | 'Workspace';
}

export const settingsPages: readonly SettingsPage[] = [
  { label: 'API keys', target: at.settings('keys'), needs: 'keys:admin', group: 'Access' },
  { label: 'People', target: at.settings('people'), needs: 'keys:admin', group: 'Access' },
  { label: 'Applications', target: at.settings('applications'), needs: 'keys:admin', group: 'Access' },
  { label: 'Shared links', target: at.settings('shared'), needs: 'traces:read', group: 'Access' },
  { label: 'Listeners', target: at.settings('listeners'), needs: 'deployments:read', group: 'Deploying' },
  {
    label: 'Integrations',
    target: at.settings('integrations'),
    needs: 'deployments:read',
    group: 'Deploying',
  },
  { label: 'Webhooks', target: at.settings('webhooks'), needs: 'deployments:read', group: 'Deploying' },
  { label: 'Events', target: at.settings('events'), needs: 'deployments:read', group: 'Deploying' },
  { label: 'Rules', target: at.settings('rules'), needs: 'traces:read', group: 'Tracing' },
  {
    label: 'Model providers',
    target: at.settings('providers'),
    needs: 'prompts:read',
    group: 'Tracing',
  },
  { label: 'Retention', target: at.settings('retention'), needs: 'workspaces:read', group: 'Tracing' },
  { label: 'Prices', target: at.settings('prices'), needs: 'usage:read', group: 'Tracing' },
  { label: 'Usage and limits', target: at.settings('usage'), needs: 'usage:read', group: 'Tracing' },
  { label: 'Workspace', target: at.settings('workspace'), needs: 'workspaces:read', group: 'Workspace' },
];
