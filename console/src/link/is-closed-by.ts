import { SignetError } from '@signet/management'

/** Nobody is told whether a link is unknown, was used, has expired or was deleted. */
export const isClosedBy = (error: unknown) => error instanceof SignetError && error.status === 404 && !error.isForeign
