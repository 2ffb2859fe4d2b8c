import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Snippet } from './copy.tsx';
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

interface NewWebhookSecretProps {
  readonly secret: string;
  readonly onClose: () => void;
}

/** Shows what a webhook is signed with, which its receiver needs. */
export const NewWebhookSecret = ({ secret, onClose }: NewWebhookSecretProps) => (
  <SecretDialog title="The secret of its webhook" label="Secret" secret={secret} onClose={onClose} />
);
