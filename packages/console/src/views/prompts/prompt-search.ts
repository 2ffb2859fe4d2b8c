export interface PromptsSearch {
  readonly words?: string;
}

/** What the page of a prompt shows: a commit by its hash or a tag, and the one that it is compared with. */
export interface PromptSearch {
  readonly commit?: string;
  readonly against?: string;
}
