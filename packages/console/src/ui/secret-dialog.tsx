import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Snippet } from './copy.tsx';
import type { NewSecret } from '../words/webhook-secret-rules.ts';
import { Dialog } from './dialog.tsx';

interface SecretDialogProps {
  readonly title: string;
  /** What the secret is called: `Key`, `Secret`. */
  readonly label: string;
  readonly secret: string;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** Shows a secret, this once. */
export const SecretDialog = ({ title, label, secret, children, onClose }: SecretDialogProps) => (
  <Dialog title={title} isOpen wide onClose={onClose}>
    <div className="flex flex-col gap-4">
      <p>Copy it now: it is shown this once, and nobody can read it again.</p>
      <Snippet label={label} text={secret} />
      {children}
      <div className="flex justify-end">
        <Button look="main" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </div>
  </Dialog>
);

interface NewWebhookSecretsProps {
  readonly secrets: readonly NewSecret[];
  readonly onClose: () => void;
}

/** Shows what webhooks are signed with, which their receivers need. */
export function NewWebhookSecrets({ secrets, onClose }: NewWebhookSecretsProps) {
  const [first, ...further] = secrets;
  if (first === undefined) return null;
  return (
    <SecretDialog
      title={further.length === 0 ? 'The secret of its webhook' : 'The secrets of its webhooks'}
      label={further.length === 0 ? 'Secret' : first.url}
      secret={first.secret}
      onClose={onClose}
    >
      {further.map(({ url, secret }) => (
        <Snippet key={url} label={url} text={secret} />
      ))}
    </SecretDialog>
  );
}
