export interface Finding {
  readonly level: 'fine' | 'warning' | 'wrong';
  readonly about: 'machine' | 'platform' | 'project';
  readonly what: string;
  /** Advice on what to do about it. */
  readonly fix?: string;
}

export type FindingDetails = Omit<Finding, 'about'>;

export const fine = (what: string): FindingDetails => ({ level: 'fine', what });
export const warning = (what: string, fix: string): FindingDetails => ({ level: 'warning', what, fix });
export const wrong = (what: string, fix: string): FindingDetails => ({ level: 'wrong', what, fix });
