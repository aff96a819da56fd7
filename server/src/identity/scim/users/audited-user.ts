import type { DirectoryUser } from '../../directories/index.ts'

/** For the audit log, which conceals the names. What else was sent is named, and not shown. */
export const auditedUser = ({
  active,
  userName,
  externalId,
  version,
}: Pick<DirectoryUser, 'active' | 'userName' | 'externalId' | 'version'>) => ({
  active,
  user_name: userName,
  external_id: externalId,
  version,
})
