import type { Database } from '../../../ground/database/database.ts'
import { type Look, preferredLanguage, type Wishes } from '../../../ground/http/pages/index.ts'
import { findBrand, type StoredBrand } from './branding-store.ts'

/** Without the organization, or where the database cannot be read, a page looks like one of the service. */
export type LookOf = (organizationId: string | undefined, wishes: Omit<Wishes, 'standard'>) => Promise<Look>

/** The path at which a browser finds the logo, below that of the base URL. */
export const logoPath = (organizationId: string, hash: string): string => `/sso/logos/${organizationId}/${hash}`

export const createLookOf =
  ({ database, baseUrl }: { database: Database; baseUrl: string }): LookOf =>
  async (organizationId, wishes) => {
    const stored = organizationId ? await findBrand(database.read, organizationId).catch(() => undefined) : undefined
    const language = preferredLanguage({ ...wishes, standard: stored?.default_locale })
    if (!stored || !organizationId) return { language }
    const organization = stored.display_name ?? stored.name
    return { language, organization, brand: brandOf(stored, organizationId, baseUrl) }
  }

/** An organization that has set nothing keeps the look of the service. */
function brandOf(stored: StoredBrand, organizationId: string, baseUrl: string): Look['brand'] {
  const { display_name, accent_color, logo } = stored
  if (display_name === null && accent_color === null && logo === null) return undefined
  return {
    accent: accent_color ?? undefined,
    logo: logo === null ? undefined : new URL(baseUrl + logoPath(organizationId, logo)).pathname,
  }
}
