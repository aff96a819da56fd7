import type { Finding } from '@signet/cli'
import { nodeIsTooOld } from './settings.ts'

/** What `signet doctor` finds besides the service, where the code of the server is there. */
export async function examineMore(): Promise<Finding[]> {
  const tooOld = nodeIsTooOld()
  if (tooOld) return [{ check: 'settings', result: 'unknown', message: `not examined, nor the database: ${tooOld}` }]
  return (await import('./doctor-checks.ts')).examineInstallation()
}
