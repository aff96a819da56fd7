/**
 * Told the id of a webhook, or of an organization, after the commit that changed or removed it and before the answer. This process
 * begins no call by its former state after that. Another process stops as soon as it hears of it, within six seconds if it does
 * not.
 */
export type Revoke = (id: string) => Promise<void>
