/** What an application may ask for besides who the person is: tokens that outlive the session. */
export const offlineAccess = 'offline_access'

export const hasOfflineAccess = (scope: string | undefined): boolean =>
  scope?.split(' ').includes(offlineAccess) ?? false
