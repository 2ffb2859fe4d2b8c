import { useNavigate } from '@tanstack/react-router';
import { traces } from '../../../api/clients.ts';
import { at } from '../../../router/addresses.ts';
import { linkProps } from '../../../router/go.ts';
import { FormDialog } from '../../../ui/dialog.tsx';
import { Badge } from '../../../ui/status.tsx';
import { useChange } from '../use-change.ts';
import type { Rule } from './rule-form.tsx';

/** What a rule does with a run, in words. */
export function actionsOf(rule: Rule): string {
  const actions = [
    rule.add_to_dataset_id !== null && `add to ${rule.add_to_dataset_name ?? 'a dataset'}`,
    rule.add_to_annotation_queue_id !== null && `queue in ${rule.add_to_annotation_queue_name ?? 'a queue'}`,
    rule.extend_only && 'keep long',
    ...rule.webhooks.map(({ url }) => `call ${url}`),
  ];
  return actions.filter((one) => one !== false).join('; ');
}

export function RuleState({ rule: { is_enabled, disabled_reason, failures } }: { readonly rule: Rule }) {
  if (!is_enabled)
    return (
      <Badge tone={disabled_reason === null ? 'quiet' : 'bad'} title={disabled_reason ?? 'by a person'}>
        disabled
      </Badge>
    );
  return failures > 0 ? <Badge tone="warn">failing</Badge> : <Badge tone="good">enabled</Badge>;
}

interface RemoveRuleProps {
  readonly rule: Rule;
  readonly onClose: () => void;
}

export function RemoveRule({ rule: { id, display_name }, onClose }: RemoveRuleProps) {
  const change = useChange();
  const navigate = useNavigate();
  return (
    <FormDialog
      title={`Delete ${display_name}?`}
      isOpen
      danger
      submit="Delete the rule"
      onClose={onClose}
      onSubmit={async () => {
        await traces.deleteRule({ params: { rule_id: id } });
        await navigate({ ...(linkProps(at.settings('rules')) as object) });
        await change({ said: `The rule ${display_name} is deleted.`, changes: [['rules', 'all']] });
      }}
    >
      <p>What it was still to do is not done. What it did stays.</p>
    </FormDialog>
  );
}
