import { type FormEvent, useState } from 'react';
import { type Faults, faultsOf, NO_FAULTS } from './fault-rules.ts';

interface FormOptions {
  /** The paths of the fields that tell their own faults. */
  readonly fields: readonly string[];
  readonly onSubmit: () => Promise<unknown>;
}

export interface FormState {
  readonly busy: boolean;
  readonly faults: Faults;
  readonly submit: (event: FormEvent) => void;
}

/** A form that tells what was refused beside the field that it is about. */
export function useForm({ fields, onSubmit }: FormOptions): FormState {
  const [state, setState] = useState<Omit<FormState, 'submit'>>({ busy: false, faults: NO_FAULTS });
  const run = async () => {
    setState({ busy: true, faults: NO_FAULTS });
    try {
      await onSubmit();
      setState({ busy: false, faults: NO_FAULTS });
    } catch (error) {
      setState({ busy: false, faults: faultsOf(error, fields) });
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  return { ...state, submit };
}
