// Generated from api-server/openapi.json by `npm run generate`; do not edit.
import { type ArtifactNamed, type FlowNamed, type MessageNamed, type Received, type Request, type RunNamed, artifactName, flowName, messageName, requestOf, runName, wireOf } from '../call.ts'
import type { GeneratedClient } from './sdk.gen.ts'
import type * as wire from './types.gen.ts'

/** Options of `login.accessToken`. */
export interface LoginAccessTokenOptions extends Request {
  /** The e-mail of the user. */
  readonly username: NonNullable<wire.LoginAccessTokenData['body']>['username']
  /** The password of the user. */
  readonly password: NonNullable<wire.LoginAccessTokenData['body']>['password']
}

/** Options of `login.code`. */
export interface LoginCodeOptions extends Request {
  /** What stands behind `#code=` or `#dev=`; it counts once. */
  readonly code: NonNullable<wire.LoginCodeData['body']>['code']
}

/** Options of `login.resetPassword`. */
export interface LoginResetPasswordOptions extends Request {
  /** What stands behind `#token=` in the link of the mail; it counts once. */
  readonly token: NonNullable<wire.LoginResetPasswordData['body']>['token']
  /** 8 to 128 characters. */
  readonly newPassword: NonNullable<wire.LoginResetPasswordData['body']>['new_password']
}

/** Options of `login.oidc`. */
export interface LoginOidcOptions extends Request {
  /**
   * A path of the service, or `http://127.0.0.1:<port>/...`.
   * @default "/"
   */
  readonly returnTo?: NonNullable<wire.LoginOidcData['query']>['return_to']
}

/** Options of `login.oidcToken`. */
export interface LoginOidcTokenOptions extends Request {
  /** What stands behind `#code=` or `#dev=`; it counts once. */
  readonly code: NonNullable<wire.LoginOidcTokenData['body']>['code']
}

/** Options of `users.create`. */
export interface UsersCreateOptions extends Request {
  /** Address by which the user signs in; no other user has it. */
  readonly email: NonNullable<wire.UsersCreateData['body']>['email']
  /** For people. */
  readonly fullName?: NonNullable<wire.UsersCreateData['body']>['full_name']
  /**
   * Whether the user may do everything, and manage others.
   * @default false
   */
  readonly isSuperuser?: NonNullable<wire.UsersCreateData['body']>['is_superuser']
  /** Left out: the user is invited to choose one. */
  readonly password?: NonNullable<wire.UsersCreateData['body']>['password']
}

/** Options of `users.update`. */
export interface UsersUpdateOptions extends Request {
  /** For people; null takes it away. */
  readonly fullName?: NonNullable<wire.UsersUpdateData['body']>['full_name']
  /** False ends the sessions and keys of the user, and refuses new ones. */
  readonly isActive?: NonNullable<wire.UsersUpdateData['body']>['is_active']
  /** The last active superuser stays one. */
  readonly isSuperuser?: NonNullable<wire.UsersUpdateData['body']>['is_superuser']
  /** A new password, which ends the sessions of the user. */
  readonly password?: NonNullable<wire.UsersUpdateData['body']>['password']
}

/** Options of `users.changePassword`. */
export interface UsersChangePasswordOptions extends Request {
  /** The one that counts until now. */
  readonly currentPassword: NonNullable<wire.UsersChangePasswordData['body']>['current_password']
  /** 8 to 128 characters; other sessions end. */
  readonly newPassword: NonNullable<wire.UsersChangePasswordData['body']>['new_password']
}

/** Options of `keys.list`. */
export interface KeysListOptions extends Request {
  /**
   * Of all users, which takes a superuser.
   * @default false
   */
  readonly all?: NonNullable<wire.KeysListData['query']>['all']
}

/** Options of `keys.create`. */
export interface KeysCreateOptions extends Request {
  /** No other live key of the owner has it. */
  readonly name: NonNullable<wire.KeysCreateData['body']>['name']
  /** What the key is good for, of all that its owner may do. */
  readonly scopes: NonNullable<wire.KeysCreateData['body']>['scopes']
  /**
   * Null is never.
   * @default 365
   */
  readonly expiresInDays?: NonNullable<wire.KeysCreateData['body']>['expires_in_days']
}

/** Options of `oauth.listTokens`. */
export interface OauthListTokensOptions extends Request {
  /**
   * Those of everybody.
   * @default false
   */
  readonly all?: NonNullable<wire.OauthListTokensData['query']>['all']
}

/** Options of `oauth.mintToken`. */
export interface OauthMintTokenOptions extends Request {
  /** Name of the agent, which the audit trail shows. */
  readonly client: NonNullable<wire.OauthMintTokenData['body']>['client']
  /** What it may do, of all that you may. */
  readonly scopes: NonNullable<wire.OauthMintTokenData['body']>['scopes']
  /**
   * Days for which the token counts.
   * @default 30
   */
  readonly expiresInDays?: NonNullable<wire.OauthMintTokenData['body']>['expires_in_days']
}

/** Options of `oauth.addClient`. */
export interface OauthAddClientOptions extends Request {
  /** What users are shown. */
  readonly name: NonNullable<wire.OauthAddClientData['body']>['name']
  /** Where a user is sent back to: https, http on this machine (any port will do), or a scheme of its own. */
  readonly redirectUris: NonNullable<wire.OauthAddClientData['body']>['redirect_uris']
}

/** Options of `flows.get`. */
export interface FlowsGetOptions extends Request {
  /**
   * The published content.
   * @default false
   */
  readonly published?: NonNullable<wire.FlowsGetData['query']>['published']
}

/** Options of `flows.saveLayout`. */
export interface FlowsSaveLayoutOptions extends Request {
  /** Places of nodes by their ids. Ids that neither the draft nor the published form has are left out. */
  readonly nodes: NonNullable<wire.FlowsSaveLayoutData['body']>['nodes']
}

/** Options of `flows.publish`. */
export interface FlowsPublishOptions extends Request {
  /** The version that was read. */
  readonly version: NonNullable<wire.FlowsPublishData['body']>['version']
  /**
   * Make every node anew, not only those that have changed.
   * @default false
   */
  readonly restart?: NonNullable<wire.FlowsPublishData['body']>['restart']
}

/** Options of `flows.rename`. */
export interface FlowsRenameOptions extends Request {
  /** The new name, which no other flow has. */
  readonly name: NonNullable<wire.FlowsRenameData['body']>['name']
}

/** Options of `flows.duplicate`. */
export interface FlowsDuplicateOptions extends Request {
  /** Defaults to `{name}_copy`. */
  readonly name?: NonNullable<wire.FlowsDuplicateData['body']>['name']
}

/** Options of `flows.run`. */
export interface FlowsRunOptions extends Request {
  /**
   * Values by the name of an input, in place of the initial ones.
   * @default {}
   */
  readonly inputs?: NonNullable<wire.FlowsRunData['body']>['inputs']
}

/** Options of `flows.try`. */
export interface FlowsTryOptions extends Request {
  /**
   * Values by the name of an input, in place of the initial ones.
   * @default {}
   */
  readonly inputs?: NonNullable<wire.FlowsTryData['body']>['inputs']
}

/** Options of `flows.versions`. */
export interface FlowsVersionsOptions extends Request {
  /** Only older ones: the `version` of the last row read. */
  readonly before?: NonNullable<wire.FlowsVersionsData['query']>['before']
  /**
   * Rows at most.
   * @default 50
   */
  readonly limit?: NonNullable<wire.FlowsVersionsData['query']>['limit']
}

/** Options of `flows.diff`. */
export interface FlowsDiffOptions extends Request {
  /** What it is compared with: the number of a version, `draft`, or `published`, which is what the flow has now. Left out: the draft if there is one, else what is published. */
  readonly to?: NonNullable<wire.FlowsDiffData['query']>['to']
}

/** Options of `flows.restore`. */
export interface FlowsRestoreOptions extends Request {
  /** The version of the flow that was read. */
  readonly version: NonNullable<wire.FlowsRestoreData['body']>['version']
}

/** Options of `flows.nodes.trigger`. */
export interface FlowsNodesTriggerOptions extends Request {
  /**
   * Values by input port, in place of the last ones.
   * @default {}
   */
  readonly values?: NonNullable<wire.FlowsNodesTriggerData['body']>['values']
}

/** Options of `flows.nodes.logs`. */
export interface FlowsNodesLogsOptions extends Request {
  /**
   * Bytes to leave out: `next` of the answer before. What is kept no more is left out anyway.
   * @default 0
   */
  readonly after?: NonNullable<wire.FlowsNodesLogsData['query']>['after']
  /**
   * Bytes of text at most; one whole character is given all the same.
   * @default 65536
   */
  readonly limit?: NonNullable<wire.FlowsNodesLogsData['query']>['limit']
}

/** Options of `flows.nodes.putSource`. */
export interface FlowsNodesPutSourceOptions extends Request {
  /** The new text. */
  readonly code: NonNullable<wire.FlowsNodesPutSourceData['body']>['code']
  /** As the source was read; left out: whatever it is now. */
  readonly version?: NonNullable<wire.FlowsNodesPutSourceData['body']>['version']
}

/** Options of `flows.nodes.share`. */
export interface FlowsNodesShareOptions extends Request {
  /** Defaults to the id of the node. */
  readonly name?: NonNullable<wire.FlowsNodesShareData['body']>['name']
}

/** Options of `library.delete`. */
export interface LibraryDeleteOptions extends Request {
  /**
   * Give every user its own copy, in its draft and in its published form.
   * @default false
   */
  readonly detach?: NonNullable<wire.LibraryDeleteData['query']>['detach']
}

/** Options of `messages.list`. */
export interface MessagesListOptions extends Request {
  /** Only those of this flow. */
  readonly flow?: FlowNamed
  /** Only those whose qualified names begin so, as in `climate.room_`. */
  readonly prefix?: NonNullable<wire.MessagesListData['query']>['prefix']
}

/** Options of `messages.history`. */
export interface MessagesHistoryOptions extends Request {
  /**
   * Rows at most.
   * @default 50
   */
  readonly limit?: NonNullable<wire.MessagesHistoryData['query']>['limit']
  /** Only rows older than this: the `created_at` of the last row read. */
  readonly before?: NonNullable<wire.MessagesHistoryData['query']>['before']
  /** Only rows of this time and later. */
  readonly since?: NonNullable<wire.MessagesHistoryData['query']>['since']
}

/** Options of `runs.update`. */
export interface RunsUpdateOptions extends Request {
  /** What is written about the run, in place of what was. */
  readonly note?: NonNullable<wire.RunsUpdateData['body']>['note']
  /** Its tags, in place of those that it had. */
  readonly tags?: NonNullable<wire.RunsUpdateData['body']>['tags']
  /** Whether it is pinned. */
  readonly pinned?: NonNullable<wire.RunsUpdateData['body']>['pinned']
  /** Whether lists leave it out unless they are asked for it. */
  readonly archived?: NonNullable<wire.RunsUpdateData['body']>['archived']
}

/** Options of `runs.list`. */
export interface RunsListOptions extends Request {
  /**
   * Rows at most.
   * @default 50
   */
  readonly limit?: NonNullable<wire.RunsListData['query']>['limit']
  /** Only rows older than this: the `created_at` of the last row read. */
  readonly before?: NonNullable<wire.RunsListData['query']>['before']
  /** Only rows of this time and later. */
  readonly since?: NonNullable<wire.RunsListData['query']>['since']
  /** Names of flows, separated by commas. */
  readonly flow?: FlowNamed
  /** Statuses of runs, separated by commas. */
  readonly status?: NonNullable<wire.RunsListData['query']>['status']
  /** Only runs of this sweep. */
  readonly group?: NonNullable<wire.RunsListData['query']>['group']
  /** Only runs that executed the document of this digest. */
  readonly digest?: NonNullable<wire.RunsListData['query']>['digest']
  /** Archived runs: left out, alone, or among the others. Left out unless given, but those named by `ids`. */
  readonly archived?: NonNullable<wire.RunsListData['query']>['archived']
  /** Terms as in `params.lr<0.01 metrics.acc>0.9 tags=best`, at most 32. */
  readonly filter?: NonNullable<wire.RunsListData['query']>['filter']
  /** Up to 3 fields, separated by commas, each with `-` in front for the greatest first: created_at, started_at, finished_at, duration_s, status, flow, seed, and params, results and metrics as in a filter. What is missing comes last; the newest first among equals. */
  readonly sort?: NonNullable<wire.RunsListData['query']>['sort']
  /** What is told of each run: params, results, metrics, progress, total (the number of all, in X-Total-Count), separated by commas. */
  readonly include?: NonNullable<wire.RunsListData['query']>['include']
  /** Where the page begins: of the Link of the one before. */
  readonly cursor?: NonNullable<wire.RunsListData['query']>['cursor']
  /**
   * Runs that are passed over, at most 10,000.
   * @default 0
   */
  readonly offset?: NonNullable<wire.RunsListData['query']>['offset']
  /** Place in the list where the page begins, for tables in which somebody jumps. In place of `offset`. */
  readonly at?: NonNullable<wire.RunsListData['query']>['at']
}

/** Options of `runs.updateMany`. */
export interface RunsUpdateManyOptions extends Request {
  /** The runs; each has to exist. */
  readonly ids: readonly RunNamed[]
  /** Tags that each of them gets. */
  readonly addTags?: NonNullable<wire.RunsUpdateManyData['body']>['add_tags']
  /** Tags that none of them keeps. */
  readonly removeTags?: NonNullable<wire.RunsUpdateManyData['body']>['remove_tags']
  /** Whether it is pinned. */
  readonly pinned?: NonNullable<wire.RunsUpdateManyData['body']>['pinned']
  /** Whether lists leave it out unless they are asked for it. */
  readonly archived?: NonNullable<wire.RunsUpdateManyData['body']>['archived']
}

/** Options of `runs.deleteAll`. */
export interface RunsDeleteAllOptions extends Request {
  /** Name of the flow, which need not exist any more. */
  readonly flow: FlowNamed
  /**
   * Delete what is listed of the flow as executions, too.
   * @default false
   */
  readonly history?: NonNullable<wire.RunsDeleteAllData['query']>['history']
}

/** Options of `runs.track`. */
export interface RunsTrackOptions extends Request {
  /** Chosen by the client, so that it can ask again: a UUID of version 7. Else by the engine. */
  readonly id?: NonNullable<wire.RunsTrackData['body']>['id']
  /** Under which name the run is listed. No flow has to be there, and none is made. */
  readonly flow: FlowNamed
  /**
   * What it was given, by name. Nothing is checked.
   * @default {}
   */
  readonly params?: NonNullable<wire.RunsTrackData['body']>['params']
  /** Seed of the run. */
  readonly seed?: NonNullable<wire.RunsTrackData['body']>['seed']
  /**
   * What is written about it.
   * @default ""
   */
  readonly note?: NonNullable<wire.RunsTrackData['body']>['note']
  /**
   * Words by which it is found.
   * @default []
   */
  readonly tags?: NonNullable<wire.RunsTrackData['body']>['tags']
  /** Commit of the sources that execute. */
  readonly commit?: NonNullable<wire.RunsTrackData['body']>['commit']
  /** When it began; now unless given. */
  readonly startedAt?: NonNullable<wire.RunsTrackData['body']>['started_at']
}

/** Options of `runs.append`. */
export interface RunsAppendOptions extends Request {
  /** Counts what is sent of the run, from 1. Alone it says: still running. */
  readonly seq: NonNullable<wire.RunsAppendData['body']>['seq']
  /**
   * Points of curves.
   * @default []
   */
  readonly metrics?: NonNullable<wire.RunsAppendData['body']>['metrics']
  /** Further params; a known name has this value from now on. */
  readonly params?: NonNullable<wire.RunsAppendData['body']>['params']
  /** Further results; likewise. */
  readonly result?: NonNullable<wire.RunsAppendData['body']>['result']
  /** What the program has printed since. */
  readonly logs?: NonNullable<wire.RunsAppendData['body']>['logs']
  /**
   * Stored bytes that belong to the run.
   * @default []
   */
  readonly artifacts?: NonNullable<wire.RunsAppendData['body']>['artifacts']
  /** Ends the run. */
  readonly status?: NonNullable<wire.RunsAppendData['body']>['status']
  /** Why it failed; with `status: "error"`. */
  readonly error?: NonNullable<wire.RunsAppendData['body']>['error']
}

/** Options of `runs.import`. */
export interface RunsImportOptions extends Request {
  /** Runs that ended elsewhere. */
  readonly runs: NonNullable<wire.RunsImportData['body']>['runs']
}

/** Options of `runs.nodeLogs`. */
export interface RunsNodeLogsOptions extends Request {
  /**
   * Bytes to leave out: `next` of the answer before. What is kept no more is left out anyway.
   * @default 0
   */
  readonly after?: NonNullable<wire.RunsNodeLogsData['query']>['after']
  /**
   * Bytes of text at most; one whole character is given all the same.
   * @default 65536
   */
  readonly limit?: NonNullable<wire.RunsNodeLogsData['query']>['limit']
}

/** Options of `runs.export`. */
export interface RunsExportOptions extends Received {
  /** Names of flows, separated by commas. */
  readonly flow?: FlowNamed
  /** Statuses of runs, separated by commas. */
  readonly status?: NonNullable<wire.RunsExportData['query']>['status']
  /** Only runs of this sweep. */
  readonly group?: NonNullable<wire.RunsExportData['query']>['group']
  /** Only runs that executed the document of this digest. */
  readonly digest?: NonNullable<wire.RunsExportData['query']>['digest']
  /** Ids of runs, separated by commas. */
  readonly ids?: string | readonly RunNamed[]
  /** Archived runs: left out, alone, or among the others. Left out unless given, but those named by `ids`. */
  readonly archived?: NonNullable<wire.RunsExportData['query']>['archived']
  /** Only runs created at this time and later. */
  readonly since?: NonNullable<wire.RunsExportData['query']>['since']
  /** Only runs created before this time. */
  readonly before?: NonNullable<wire.RunsExportData['query']>['before']
  /**
   * CSV (RFC 4180), or a JSON object a line.
   * @default "csv"
   */
  readonly format?: NonNullable<wire.RunsExportData['query']>['format']
  /** Only runs created at this time and before. */
  readonly until?: NonNullable<wire.RunsExportData['query']>['until']
  /** Inputs that become columns; a dotted path reaches into records, separated by commas. */
  readonly params?: NonNullable<wire.RunsExportData['query']>['params']
  /** Final outputs that become columns; a dotted path reaches into records, separated by commas. */
  readonly metrics?: NonNullable<wire.RunsExportData['query']>['metrics']
}

/** Options of `metrics.names`. */
export interface MetricsNamesOptions extends Request {
  /** Names of flows, separated by commas. */
  readonly flow?: FlowNamed
  /** Statuses of runs, separated by commas. */
  readonly status?: NonNullable<wire.MetricsNamesData['query']>['status']
  /** Only runs of this sweep. */
  readonly group?: NonNullable<wire.MetricsNamesData['query']>['group']
  /** Only runs that executed the document of this digest. */
  readonly digest?: NonNullable<wire.MetricsNamesData['query']>['digest']
  /** Ids of runs, separated by commas. */
  readonly ids?: string | readonly RunNamed[]
  /** Archived runs: left out, alone, or among the others. Left out unless given, but those named by `ids`. */
  readonly archived?: NonNullable<wire.MetricsNamesData['query']>['archived']
  /** Only runs created at this time and later. */
  readonly since?: NonNullable<wire.MetricsNamesData['query']>['since']
  /** Only runs created before this time. */
  readonly before?: NonNullable<wire.MetricsNamesData['query']>['before']
}

/** Options of `metrics.compareMany`. */
export interface MetricsCompareManyOptions extends Request {
  /** Ids of the runs. */
  readonly ids: readonly RunNamed[]
  /** Messages, bare or as `<flow>.<message>`. */
  readonly metrics: NonNullable<wire.MetricsCompareManyData['body']>['metrics']
  /**
   * `step`, `time` (seconds since the start of the run), or another metric, joined at equal steps.
   * @default "step"
   */
  readonly x?: NonNullable<wire.MetricsCompareManyData['body']>['x']
  /**
   * Most points of a curve; null for all. The least and greatest value of each range stay.
   * @default 1000
   */
  readonly points?: NonNullable<wire.MetricsCompareManyData['body']>['points']
  /** Only points of later steps. */
  readonly afterStep?: NonNullable<wire.MetricsCompareManyData['body']>['after_step']
  /** An input, as `params.lr`: means and spread over the runs that share its value. */
  readonly group?: NonNullable<wire.MetricsCompareManyData['body']>['group']
}

/** Options of `metrics.export`. */
export interface MetricsExportOptions extends Received {
  /** Names of flows, separated by commas. */
  readonly flow?: FlowNamed
  /** Statuses of runs, separated by commas. */
  readonly status?: NonNullable<wire.MetricsExportData['query']>['status']
  /** Only runs of this sweep. */
  readonly group?: NonNullable<wire.MetricsExportData['query']>['group']
  /** Only runs that executed the document of this digest. */
  readonly digest?: NonNullable<wire.MetricsExportData['query']>['digest']
  /** Ids of runs, separated by commas. */
  readonly ids?: string | readonly RunNamed[]
  /** Archived runs: left out, alone, or among the others. Left out unless given, but those named by `ids`. */
  readonly archived?: NonNullable<wire.MetricsExportData['query']>['archived']
  /** Only runs created at this time and later. */
  readonly since?: NonNullable<wire.MetricsExportData['query']>['since']
  /** Only runs created before this time. */
  readonly before?: NonNullable<wire.MetricsExportData['query']>['before']
  /**
   * CSV (RFC 4180), or a JSON object a line.
   * @default "csv"
   */
  readonly format?: NonNullable<wire.MetricsExportData['query']>['format']
  /** Only runs created at this time and before. */
  readonly until?: NonNullable<wire.MetricsExportData['query']>['until']
  /** Inputs that become columns; a dotted path reaches into records, separated by commas. */
  readonly params?: NonNullable<wire.MetricsExportData['query']>['params']
  /** Curves, bare or as `<flow>.<message>`, separated by commas. */
  readonly metrics?: NonNullable<wire.MetricsExportData['query']>['metrics']
}

/** Options of `artifacts.get`. */
export interface ArtifactsGetOptions extends Received {
  /** A ticket of `POST /artifacts/{digest}/ticket`, in place of the `Authorization` header. */
  readonly ticket?: NonNullable<wire.ArtifactsGetData['query']>['ticket']
}

/** Options of `artifacts.beginUpload`. */
export interface ArtifactsBeginUploadOptions extends Request {
  /** SHA-256 of the bytes that are to come. */
  readonly digest: NonNullable<wire.ArtifactsBeginUploadData['body']>['digest']
  /** Bytes that are to come. */
  readonly size: NonNullable<wire.ArtifactsBeginUploadData['body']>['size']
  /**
   * File name, shown when the bytes are downloaded.
   * @default ""
   */
  readonly name?: NonNullable<wire.ArtifactsBeginUploadData['body']>['name']
  /**
   * Media type of the bytes (RFC 6838).
   * @default "application/octet-stream"
   */
  readonly mediaType?: NonNullable<wire.ArtifactsBeginUploadData['body']>['media_type']
}

/** Options of `dashboards.get`. */
export interface DashboardsGetOptions extends Request {
  /**
   * The draft, or the published content where there is none.
   * @default false
   */
  readonly draft?: NonNullable<wire.DashboardsGetData['query']>['draft']
}

/** Options of `dashboards.create`. */
export interface DashboardsCreateOptions extends Request {
  /**
   * For people.
   * @default ""
   */
  readonly title?: NonNullable<wire.DashboardsCreateData['body']>['title']
  /**
   * Its widgets and their grid.
   * @default {}
   */
  readonly content?: NonNullable<wire.DashboardsCreateData['body']>['content']
}

/** Options of `dashboards.save`. */
export interface DashboardsSaveOptions extends Request {
  /** For people; what it is stays unless given. */
  readonly title?: NonNullable<wire.DashboardsSaveData['body']>['title']
  /** Its widgets and their grid. */
  readonly content?: NonNullable<wire.DashboardsSaveData['body']>['content']
  /** The version that was read: refused when it is no longer that. */
  readonly version?: NonNullable<wire.DashboardsSaveData['body']>['version']
}

/** Options of `dashboards.fromFlow`. */
export interface DashboardsFromFlowOptions extends Request {
  /** Defaults to `{name}_copy`. */
  readonly name?: NonNullable<wire.DashboardsFromFlowData['body']>['name']
}

/** Options of `dashboards.publish`. */
export interface DashboardsPublishOptions extends Request {
  /** The version that was read: refused when it is no longer that. */
  readonly version?: NonNullable<wire.DashboardsPublishData['body']>['version']
}

/** Options of `dashboards.rename`. */
export interface DashboardsRenameOptions extends Request {
  /** The new name, which no other flow has. */
  readonly name: NonNullable<wire.DashboardsRenameData['body']>['name']
}

/** Options of `dashboards.duplicate`. */
export interface DashboardsDuplicateOptions extends Request {
  /** Defaults to `{name}_copy`. */
  readonly name?: NonNullable<wire.DashboardsDuplicateData['body']>['name']
}

/** Options of `devices.create`. */
export interface DevicesCreateOptions extends Request {
  /** The id unless given. */
  readonly name?: NonNullable<wire.DevicesCreateData['body']>['name']
}

/** Options of `devices.save`. */
export interface DevicesSaveOptions extends Request {
  /** The version that was read. */
  readonly version: NonNullable<wire.DevicesSaveData['body']>['version']
  /** For people. */
  readonly name?: NonNullable<wire.DevicesSaveData['body']>['name']
}

/** Options of `pairing.start`. */
export interface PairingStartOptions extends Request {
  /** What it calls itself, for people. */
  readonly name?: NonNullable<wire.PairingStartData['body']>['name']
  /** What hardware it is. */
  readonly board?: NonNullable<wire.PairingStartData['body']>['board']
  /** What software it runs. */
  readonly firmware?: NonNullable<wire.PairingStartData['body']>['firmware']
}

/** Options of `pairing.poll`. */
export interface PairingPollOptions extends Request {
  /** In place of the header. */
  readonly secret?: NonNullable<wire.PairingPollData['query']>['secret']
}

/** Options of `panels.startPairing`. */
export interface PanelsStartPairingOptions extends Request {
  /** What it calls itself, for people. */
  readonly name?: NonNullable<wire.PanelsStartPairingData['body']>['name']
  /** What hardware it is. */
  readonly board?: NonNullable<wire.PanelsStartPairingData['body']>['board']
  /** What software it runs. */
  readonly firmware?: NonNullable<wire.PanelsStartPairingData['body']>['firmware']
}

/** Options of `panels.pollPairing`. */
export interface PanelsPollPairingOptions extends Request {
  /** In place of the header. */
  readonly secret?: NonNullable<wire.PanelsPollPairingData['query']>['secret']
}

/** Options of `secrets.set`. */
export interface SecretsSetOptions extends Request {
  /** Text of at most 64 KiB. Values of fewer than 8 characters are not masked in logs. */
  readonly value: NonNullable<wire.SecretsSetData['body']>['value']
}

/** Options of `workers.mintToken`. */
export interface WorkersMintTokenOptions extends Request {
  /** Name of the worker. No other live token may have it. */
  readonly name: NonNullable<wire.WorkersMintTokenData['body']>['name']
  /**
   * What nodes ask for by `worker`, beside the name.
   * @default []
   */
  readonly labels?: NonNullable<wire.WorkersMintTokenData['body']>['labels']
}

/** Options of `flavors.create`. */
export interface FlavorsCreateOptions extends Request {
  /** By which flows name it. */
  readonly name: NonNullable<wire.FlavorsCreateData['body']>['name']
  /** Processors. */
  readonly cpus: NonNullable<wire.FlavorsCreateData['body']>['cpus']
  /** GPUs. */
  readonly gpus: NonNullable<wire.FlavorsCreateData['body']>['gpus']
  /** Memory in MB. */
  readonly ramMb: NonNullable<wire.FlavorsCreateData['body']>['ram_mb']
  /**
   * For people.
   * @default ""
   */
  readonly description?: NonNullable<wire.FlavorsCreateData['body']>['description']
}

/** Options of `flavors.update`. */
export interface FlavorsUpdateOptions extends Request {
  /** Processors. */
  readonly cpus?: NonNullable<wire.FlavorsUpdateData['body']>['cpus']
  /** GPUs. */
  readonly gpus?: NonNullable<wire.FlavorsUpdateData['body']>['gpus']
  /** Memory in MB. */
  readonly ramMb?: NonNullable<wire.FlavorsUpdateData['body']>['ram_mb']
  /** For people. */
  readonly description?: NonNullable<wire.FlavorsUpdateData['body']>['description']
}

/** Options of `modules.apply`. */
export interface ModulesApplyOptions extends Request {
  /** One requirement a line: `numpy>=2`, or `npm:<package>@<range>`; comments with `#`. Nothing removes everything. */
  readonly requirements: NonNullable<wire.ModulesApplyData['body']>['requirements']
}

/** Options of `alerts.put`. */
export interface AlertsPutOptions extends Request {
  /**
   * Whether any alert is sent.
   * @default false
   */
  readonly enabled?: NonNullable<wire.AlertsPutData['body']>['enabled']
  /**
   * Seconds from one message to the next about the same thing. What happens between is counted, and told at the end as one message.
   * @default 300
   */
  readonly minIntervalS?: NonNullable<wire.AlertsPutData['body']>['min_interval_s']
  /**
   * What alerts are sent about; all unless given.
   * @default ["flow_failed","node_failed","run_error","run_abandoned","worker_lost","connector_down","store_unavailable","queue_stalled"]
   */
  readonly events?: NonNullable<wire.AlertsPutData['body']>['events']
  /**
   * Where alerts go.
   * @default {}
   */
  readonly channels?: NonNullable<wire.AlertsPutData['body']>['channels']
}

/** Options of `backup.make`. */
export interface BackupMakeOptions extends Received {
  /** Whether the bytes of artifacts are in it; those of a folder unless given. */
  readonly artifacts?: NonNullable<wire.BackupMakeData['query']>['artifacts']
}

/** Options of `observability.timeseries`. */
export interface ObservabilityTimeseriesOptions extends Request {
  /** Names of flows, separated by commas. */
  readonly flow?: FlowNamed
  /** From the minute of this time on; the last 24 hours unless given. */
  readonly since?: NonNullable<wire.ObservabilityTimeseriesData['query']>['since']
  /** To the minute of this time; now unless given. */
  readonly until?: NonNullable<wire.ObservabilityTimeseriesData['query']>['until']
  /**
   * Seconds of a bucket, a multiple of 60.
   * @default 60
   */
  readonly bucket?: NonNullable<wire.ObservabilityTimeseriesData['query']>['bucket']
}

/** Options of `observability.flows`. */
export interface ObservabilityFlowsOptions extends Request {
  /** From the minute of this time on; the last 7 days unless given. */
  readonly since?: NonNullable<wire.ObservabilityFlowsData['query']>['since']
}

/** Options of `observability.cascades`. */
export interface ObservabilityCascadesOptions extends Request {
  /**
   * Rows at most.
   * @default 50
   */
  readonly limit?: NonNullable<wire.ObservabilityCascadesData['query']>['limit']
  /** Only rows older than this: the `created_at` of the last row read. */
  readonly before?: NonNullable<wire.ObservabilityCascadesData['query']>['before']
  /** Only rows of this time and later. */
  readonly since?: NonNullable<wire.ObservabilityCascadesData['query']>['since']
  /** Names of flows, separated by commas. */
  readonly flow?: FlowNamed
  /** Statuses, separated by commas: running, ok, error, abandoned. */
  readonly status?: NonNullable<wire.ObservabilityCascadesData['query']>['status']
}

/** Options of `observability.events`. */
export interface ObservabilityEventsOptions extends Request {
  /**
   * Rows at most.
   * @default 50
   */
  readonly limit?: NonNullable<wire.ObservabilityEventsData['query']>['limit']
  /** Only rows older than this: the `created_at` of the last row read. */
  readonly before?: NonNullable<wire.ObservabilityEventsData['query']>['before']
  /** Only rows of this time and later. */
  readonly since?: NonNullable<wire.ObservabilityEventsData['query']>['since']
  /** Kinds, separated by commas: audit, health, alert, worker, device, engine. */
  readonly kind?: NonNullable<wire.ObservabilityEventsData['query']>['kind']
  /** Names of flows, separated by commas. */
  readonly flow?: FlowNamed
  /** Ids of nodes, separated by commas. */
  readonly node?: NonNullable<wire.ObservabilityEventsData['query']>['node']
  /** What actions begin with: `flow.` or `user.create`. */
  readonly action?: NonNullable<wire.ObservabilityEventsData['query']>['action']
  /** The e-mail or the id of the user who did it. */
  readonly actor?: NonNullable<wire.ObservabilityEventsData['query']>['actor']
  /** Only rows older than this, on every page. */
  readonly until?: NonNullable<wire.ObservabilityEventsData['query']>['until']
}

/** Options of `observability.deadLetter`. */
export interface ObservabilityDeadLetterOptions extends Request {
  /**
   * Rows at most.
   * @default 50
   */
  readonly limit?: NonNullable<wire.ObservabilityDeadLetterData['query']>['limit']
  /** Only rows older than this: the `created_at` of the last row read. */
  readonly before?: NonNullable<wire.ObservabilityDeadLetterData['query']>['before']
  /** Only rows of this time and later. */
  readonly since?: NonNullable<wire.ObservabilityDeadLetterData['query']>['since']
  /** Names of flows, separated by commas. */
  readonly flow?: FlowNamed
  /** Ids of nodes, separated by commas. */
  readonly node?: NonNullable<wire.ObservabilityDeadLetterData['query']>['node']
  /** Reasons, separated by commas: crash, overflow, expired, loop_limit, lease, stopped. */
  readonly reason?: NonNullable<wire.ObservabilityDeadLetterData['query']>['reason']
}

/** Options of `observability.replayMany`. */
export interface ObservabilityReplayManyOptions extends Request {
  /** Only of this flow. */
  readonly flow?: FlowNamed
  /** Only of this node. */
  readonly node?: NonNullable<wire.ObservabilityReplayManyData['body']>['node']
  /** Only those that were not done for this reason. */
  readonly reason?: NonNullable<wire.ObservabilityReplayManyData['body']>['reason']
  /** Only of this time and later. */
  readonly since?: NonNullable<wire.ObservabilityReplayManyData['body']>['since']
  /** Only before this time. */
  readonly until?: NonNullable<wire.ObservabilityReplayManyData['body']>['until']
}

/** Operations of `flows.nodes`. */
export class FlowsNodesCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * Trigger a node
   *
   * Feeds the named input ports together, or publishes on the named output ports; without values the node acts by itself.
   */
  trigger(flow: FlowNamed, id: string, options: FlowsNodesTriggerOptions = {}): Promise<wire.FlowsNodesTriggerResponse> {
    return this.http.flows.nodes.trigger(wireOf(options, { name: flowName(flow), id }), requestOf(options))
  }

  /**
   * End what a node executes
   *
   * Its process is ended. The execution leaves no failure marker.
   */
  cancel(flow: FlowNamed, id: string, options: Request = {}): Promise<wire.FlowsNodesCancelResponse> {
    return this.http.flows.nodes.cancel(wireOf(options, { name: flowName(flow), id }), requestOf(options))
  }

  /** Clear a node’s failure marker */
  acknowledge(flow: FlowNamed, id: string, options: Request = {}): Promise<wire.FlowsNodesAcknowledgeResponse> {
    return this.http.flows.nodes.acknowledge(wireOf(options, { name: flowName(flow), id }), requestOf(options))
  }

  /**
   * Read what a node of a live flow has printed
   *
   * Since the engine started: the last 65,536 bytes of each node, and 16 MiB of all nodes. After a start of the engine offsets begin at 0 again. `ended` is true while the flow is not active.
   */
  logs(flow: FlowNamed, node: string, options: FlowsNodesLogsOptions = {}): Promise<wire.FlowsNodesLogsResponse> {
    return this.http.flows.nodes.logs(wireOf(options, { name: flowName(flow), node }), requestOf(options))
  }

  /**
   * Read the code of a node
   *
   * The node of the draft, or of the published content where there is no draft.
   */
  getSource(flow: FlowNamed, id: string, options: Request = {}): Promise<wire.FlowsNodesGetSourceResponse> {
    return this.http.flows.nodes.getSource(wireOf(options, { name: flowName(flow), id }), requestOf(options))
  }

  /**
   * Replace the code of a node
   *
   * Private code stays in the draft until it is published. Shared code acts at once on every user, whose nodes in active flows are made anew; it is refused when a published user could not execute it.
   */
  putSource(flow: FlowNamed, id: string, options: FlowsNodesPutSourceOptions): Promise<wire.FlowsNodesPutSourceResponse> {
    return this.http.flows.nodes.putSource(wireOf(options, { name: flowName(flow), id }), requestOf(options))
  }

  /**
   * Share the code of a node
   *
   * The code becomes a source of the library, which the node uses from then on.
   */
  share(flow: FlowNamed, id: string, options: FlowsNodesShareOptions = {}): Promise<wire.FlowsNodesShareResponse> {
    return this.http.flows.nodes.share(wireOf(options, { path_name: flowName(flow), body_name: options.name, id }), requestOf(options))
  }

  /** Give a node its own copy of shared code */
  unshare(flow: FlowNamed, id: string, options: Request = {}): Promise<wire.FlowsNodesUnshareResponse> {
    return this.http.flows.nodes.unshare(wireOf(options, { name: flowName(flow), id }), requestOf(options))
  }
}

/** Operations of `workers.provisioners`. */
export class WorkersProvisionersCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * Read provisioners.json again
   *
   * That of the engine which answers. Pending jobs of a profile that is gone are cancelled; attached workers stay. A file that cannot be used changes nothing. What has failed may be tried again at once.
   */
  reload(options: Request = {}): Promise<wire.WorkersProvisionersReloadResponse> {
    return this.http.workers.provisioners.reload(requestOf(options))
  }

  /**
   * Test a profile of a provisioner
   *
   * Hands in a job of one minute, has its worker execute a call, and cancels the job. Its steps are read by the id in the answer; of one that is under way, that is answered.
   */
  test(name: string, profile: string, options: Request = {}): Promise<wire.WorkersProvisionersTestResponse> {
    return this.http.workers.provisioners.test(wireOf(options, { name, profile }), requestOf(options))
  }

  /**
   * Read how far a test of a profile has come
   *
   * At the engine where it was begun, which keeps the last twenty.
   */
  readTest(test: string, options: Request = {}): Promise<wire.WorkersProvisionersReadTestResponse> {
    return this.http.workers.provisioners.readTest(wireOf(options, { test }), requestOf(options))
  }
}

/** Operations of `login`. */
export class LoginCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * Sign in
   *
   * OAuth 2.0 password grant (RFC 6749, section 4.3); other fields of that grant are ignored.
   */
  accessToken(options: LoginAccessTokenOptions): Promise<wire.LoginAccessTokenResponse> {
    return this.http.login.accessToken(wireOf(options), requestOf(options))
  }

  /**
   * Exchange the code of a development engine
   *
   * By a code that `service dev` has put behind `#dev=`, from the same machine, once and within 60 seconds. Other environments than `local` give none.
   */
  code(options: LoginCodeOptions): Promise<wire.LoginCodeResponse> {
    return this.http.login.code(wireOf(options), requestOf(options))
  }

  /** Check a token */
  testToken(options: Request = {}): Promise<wire.LoginTestTokenResponse> {
    return this.http.login.testToken(requestOf(options))
  }

  /**
   * Ask for a link to set a new password
   *
   * The answer is the same whether or not there is such a user; at most 5 links an hour are mailed to one.
   */
  recoverPassword(email: string, options: Request = {}): Promise<wire.LoginRecoverPasswordResponse> {
    return this.http.login.recoverPassword(wireOf(options, { email }), requestOf(options))
  }

  /**
   * Set a password by a link
   *
   * The link of a recovery or of an invite; it works once. All sessions of the user end.
   */
  resetPassword(options: LoginResetPasswordOptions): Promise<wire.LoginResetPasswordResponse> {
    return this.http.login.resetPassword(wireOf(options), requestOf(options))
  }

  /** Tell how people sign in here */
  methods(options: Request = {}): Promise<wire.LoginMethodsResponse> {
    return this.http.login.methods(requestOf(options))
  }

  /**
   * Sign in by OpenID Connect
   *
   * To be opened by a browser, which is sent to the provider, and comes back to `return_to` with `#code=` or `#error=`. The code is exchanged by `POST /login/oidc/token`.
   */
  oidc(options: LoginOidcOptions = {}): Promise<wire.LoginOidcResponse> {
    return this.http.login.oidc(wireOf(options), requestOf(options))
  }

  /**
   * Come back from the OpenID provider
   *
   * To be registered at the provider as the redirect URI. The words of `#error=` are denied, expired, provider, no_email, unverified, domain, inactive.
   */
  oidcCallback(options: Request = {}): Promise<wire.LoginOidcCallbackResponse> {
    return this.http.login.oidcCallback(requestOf(options))
  }

  /**
   * Exchange the code of a sign-in
   *
   * A code works once, within 60 seconds.
   */
  oidcToken(options: LoginOidcTokenOptions): Promise<wire.LoginOidcTokenResponse> {
    return this.http.login.oidcToken(wireOf(options), requestOf(options))
  }
}

/** Operations of `users`. */
export class UsersCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /** Who is signed in */
  me(options: Request = {}): Promise<wire.UsersMeResponse> {
    return this.http.users.me(requestOf(options))
  }

  /** List users */
  list(options: Request = {}): Promise<wire.UsersListResponse> {
    return this.http.users.list(requestOf(options))
  }

  /**
   * Add a user
   *
   * Without a password they are invited: by a mail, or by the link of the answer where no mailer is set.
   */
  create(options: UsersCreateOptions): Promise<wire.UsersCreateResponse> {
    return this.http.users.create(wireOf(options), requestOf(options))
  }

  /**
   * Change a user
   *
   * A new password, and a deactivation, end all sessions of the user.
   */
  update(id: string, options: UsersUpdateOptions = {}): Promise<wire.UsersUpdateResponse> {
    return this.http.users.update(wireOf(options, { id }), requestOf(options))
  }

  /**
   * Delete a user
   *
   * Their sessions end. Flows, runs and the audit trail keep their name.
   */
  delete(id: string, options: Request = {}): Promise<wire.UsersDeleteResponse> {
    return this.http.users.delete(wireOf(options, { id }), requestOf(options))
  }

  /**
   * Change one’s own password
   *
   * All other sessions end.
   */
  changePassword(options: UsersChangePasswordOptions): Promise<wire.UsersChangePasswordResponse> {
    return this.http.users.changePassword(wireOf(options), requestOf(options))
  }
}

/** Operations of `keys`. */
export class KeysCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * List API keys
   *
   * Your own without their texts, those that are revoked or have expired among them.
   */
  list(options: KeysListOptions = {}): Promise<wire.KeysListResponse> {
    return this.http.keys.list(wireOf(options), requestOf(options))
  }

  /**
   * Make an API key
   *
   * A program that sends it is signed in as you, within the scopes of the key: it is never more than you are at the time. Agents make no keys.
   */
  create(options: KeysCreateOptions): Promise<wire.KeysCreateResponse> {
    return this.http.keys.create(wireOf(options), requestOf(options))
  }

  /**
   * Revoke an API key
   *
   * Requests with it are refused from now on, and its sockets close. Revoking it again changes nothing. Superusers revoke those of others too.
   */
  revoke(id: string, options: Request = {}): Promise<wire.KeysRevokeResponse> {
    return this.http.keys.revoke(wireOf(options, { id }), requestOf(options))
  }
}

/** Operations of `oauth`. */
export class OauthCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * List agents that are let in
   *
   * Yours, or those of everybody for a superuser; without the texts of their tokens.
   */
  listTokens(options: OauthListTokensOptions = {}): Promise<wire.OauthListTokensResponse> {
    return this.http.oauth.listTokens(wireOf(options), requestOf(options))
  }

  /**
   * Make a token for an agent
   *
   * It acts for you, within its scopes and never beyond what you may yourself. An agent makes no tokens. A new password leaves it as it is; a deactivated account ends it.
   */
  mintToken(options: OauthMintTokenOptions): Promise<wire.OauthMintTokenResponse> {
    return this.http.oauth.mintToken(wireOf(options), requestOf(options))
  }

  /**
   * End an agent
   *
   * With all its tokens; its sockets are closed. Your own agents, anybody’s for a superuser. Again, it changes nothing.
   */
  revokeToken(id: string, options: Request = {}): Promise<wire.OauthRevokeTokenResponse> {
    return this.http.oauth.revokeToken(wireOf(options, { id }), requestOf(options))
  }

  /** List programs that may ask to be let in */
  listClients(options: Request = {}): Promise<wire.OauthListClientsResponse> {
    return this.http.oauth.listClients(requestOf(options))
  }

  /**
   * Let a program ask to be let in
   *
   * It asks users in their browser, as a public client of OAuth 2.1: without a secret, by PKCE.
   */
  addClient(options: OauthAddClientOptions): Promise<wire.OauthAddClientResponse> {
    return this.http.oauth.addClient(wireOf(options), requestOf(options))
  }

  /**
   * Forget a program
   *
   * What users have let it do is revoked.
   */
  removeClient(id: string, options: Request = {}): Promise<wire.OauthRemoveClientResponse> {
    return this.http.oauth.removeClient(wireOf(options, { id }), requestOf(options))
  }
}

/** Operations of `flows`. */
export class FlowsCalls {
  protected readonly http: GeneratedClient
  readonly nodes: FlowsNodesCalls

  constructor(http: GeneratedClient) {
    this.http = http
    this.nodes = new FlowsNodesCalls(http)
  }

  /** List flows */
  list(options: Request = {}): Promise<wire.FlowsListResponse> {
    return this.http.flows.list(requestOf(options))
  }

  /**
   * List node types
   *
   * `params` is the JSON Schema of a type’s settings.
   */
  nodeTypes(options: Request = {}): Promise<wire.FlowsNodeTypesResponse> {
    return this.http.flows.nodeTypes(requestOf(options))
  }

  /**
   * Read the graph of flows
   *
   * Edges lead from where messages belong, or come from, to where they are read.
   */
  graph(options: Request = {}): Promise<wire.FlowsGraphResponse> {
    return this.http.flows.graph(requestOf(options))
  }

  /**
   * Read a flow
   *
   * The draft if there is one, else the published content.
   */
  get(flow: FlowNamed, options: FlowsGetOptions = {}): Promise<wire.FlowsGetResponse> {
    return this.http.flows.get(wireOf(options, { name: flowName(flow) }), requestOf(options))
  }

  /**
   * Save a draft
   *
   * Replaces the whole content. `version` is the version that was read, 0 for a new flow. Errors of the graph are stored and listed in `issues`. Where nothing but `layout` differs, only that is stored: there is no draft and no new version.
   */
  save(flow: FlowNamed, document: wire.FlowsSaveData['body'], options: Request = {}): Promise<wire.FlowsSaveResponse> {
    return this.http.flows.save(wireOf(options, { name: flowName(flow), flowDocument: document }), requestOf(options))
  }

  /**
   * Delete a flow
   *
   * An active flow is stopped first. Its runs stay.
   */
  delete(flow: FlowNamed, options: Request = {}): Promise<wire.FlowsDeleteResponse> {
    return this.http.flows.delete(wireOf(options, { name: flowName(flow) }), requestOf(options))
  }

  /**
   * Save where nodes are drawn
   *
   * Replaces the whole layout, of a flow that is defined in code too. It is no change of the flow: there is no draft, no new version, and nothing is made anew.
   */
  saveLayout(flow: FlowNamed, options: FlowsSaveLayoutOptions): Promise<wire.FlowsSaveLayoutResponse> {
    return this.http.flows.saveLayout(wireOf(options, { name: flowName(flow) }), requestOf(options))
  }

  /**
   * Publish the draft
   *
   * Of an active flow the nodes that have changed are made anew, and what comes to them waits; all others go on, and last values stay. When a node of the new content does not start, nothing is published.
   */
  publish(flow: FlowNamed, options: FlowsPublishOptions): Promise<wire.FlowsPublishResponse> {
    return this.http.flows.publish(wireOf(options, { name: flowName(flow) }), requestOf(options))
  }

  /**
   * Discard the draft
   *
   * The published content is the current one again, under a new version: a save over the discarded draft conflicts.
   */
  discardDraft(flow: FlowNamed, options: Request = {}): Promise<wire.FlowsDiscardDraftResponse> {
    return this.http.flows.discardDraft(wireOf(options, { name: flowName(flow) }), requestOf(options))
  }

  /**
   * Rename a flow
   *
   * Messages with their values, runs and the references of other flows and of dashboards follow. An active flow is made anew; of others those nodes that name its messages, and what comes to them meanwhile waits.
   */
  rename(flow: FlowNamed, options: FlowsRenameOptions): Promise<wire.FlowsRenameResponse> {
    return this.http.flows.rename(wireOf(options, { path_name: flowName(flow), body_name: options.name }), requestOf(options))
  }

  /**
   * Copy a flow
   *
   * The current content becomes the draft of a new flow. Copies with code or environment variables take a superuser.
   */
  duplicate(flow: FlowNamed, options: FlowsDuplicateOptions = {}): Promise<wire.FlowsDuplicateResponse> {
    return this.http.flows.duplicate(wireOf(options, { path_name: flowName(flow), body_name: options.name }), requestOf(options))
  }

  /**
   * Check the draft, or a document
   *
   * Without a body the draft, or the published content where there is no draft. A flow document is checked as if it were the draft, and stored nowhere. Executes nothing of the flow.
   */
  validate(flow: FlowNamed, document?: wire.FlowsValidateData['body'], options: Request = {}): Promise<wire.FlowsValidateResponse> {
    return this.http.flows.validate(wireOf(options, { name: flowName(flow), flowDocument: document }), requestOf(options))
  }

  /**
   * Start a live flow
   *
   * Its published content becomes active, and will be again after a restart of the engine.
   */
  start(flow: FlowNamed, options: Request = {}): Promise<wire.FlowsStartResponse> {
    return this.http.flows.start(wireOf(options, { name: flowName(flow) }), requestOf(options))
  }

  /** Stop a live flow */
  stop(flow: FlowNamed, options: Request = {}): Promise<wire.FlowsStopResponse> {
    return this.http.flows.stop(wireOf(options, { name: flowName(flow) }), requestOf(options))
  }

  /**
   * Hold the deliveries of an active flow
   *
   * Executions that run go on to their end. Held deliveries survive a restart; beyond 1,000 the oldest become dead letters.
   */
  pause(flow: FlowNamed, options: Request = {}): Promise<wire.FlowsPauseResponse> {
    return this.http.flows.pause(wireOf(options, { name: flowName(flow) }), requestOf(options))
  }

  /** Release what a paused flow holds */
  resume(flow: FlowNamed, options: Request = {}): Promise<wire.FlowsResumeResponse> {
    return this.http.flows.resume(wireOf(options, { name: flowName(flow) }), requestOf(options))
  }

  /**
   * Release the oldest held delivery
   *
   * What it causes is held again.
   */
  step(flow: FlowNamed, options: Request = {}): Promise<wire.FlowsStepResponse> {
    return this.http.flows.step(wireOf(options, { name: flowName(flow) }), requestOf(options))
  }

  /**
   * Run the draft once
   *
   * A batch flow: queues a draft run, `inputs` being its parameters. A live flow: runs by itself until it is quiet, at most 30 s and at most 8 at a time, without listeners and schedules; nothing reaches the catalogue or other flows, but its nodes really send.
   */
  run(flow: FlowNamed, options: FlowsRunOptions = {}): Promise<wire.FlowsRunResponse> {
    return this.http.flows.run(wireOf(options, { name: flowName(flow) }), requestOf(options))
  }

  /**
   * Try the draft
   *
   * As `run`, for keys and tokens that may submit runs: a live flow with a node whose work must not be done twice, as that of a `push`, takes the scope `flows:publish`.
   */
  try(flow: FlowNamed, options: FlowsTryOptions = {}): Promise<wire.FlowsTryResponse> {
    return this.http.flows.try(wireOf(options, { name: flowName(flow) }), requestOf(options))
  }

  /**
   * List published versions
   *
   * Newest first. The newest 100 are kept, or as many as the service is set to keep.
   */
  versions(flow: FlowNamed, options: FlowsVersionsOptions = {}): Promise<wire.FlowsVersionsResponse> {
    return this.http.flows.versions(wireOf(options, { name: flowName(flow) }), requestOf(options))
  }

  /** Read a published version */
  version(flow: FlowNamed, version: number, options: Request = {}): Promise<wire.FlowsVersionResponse> {
    return this.http.flows.version(wireOf(options, { name: flowName(flow), version }), requestOf(options))
  }

  /** Tell what has changed since a version */
  diff(flow: FlowNamed, version: number, options: FlowsDiffOptions = {}): Promise<wire.FlowsDiffResponse> {
    return this.http.flows.diff(wireOf(options, { name: flowName(flow), version }), requestOf(options))
  }

  /**
   * Make a published version the draft
   *
   * As if its document were saved: whoever may not change code may not bring other code back. A node is linked to the library only while that has the code of then; else it gets that code as its own. The layout stays.
   */
  restore(flow: FlowNamed, version: number, options: FlowsRestoreOptions): Promise<wire.FlowsRestoreResponse> {
    return this.http.flows.restore(wireOf(options, { name: flowName(flow), path_version: version, body_version: options.version }), requestOf(options))
  }

  /**
   * Get a ticket for the event socket
   *
   * For browsers, which cannot send a header with a WebSocket. It works once, within 30 seconds.
   */
  wsTicket(options: Request = {}): Promise<wire.FlowsWsTicketResponse> {
    return this.http.flows.wsTicket(requestOf(options))
  }
}

/** Operations of `library`. */
export class LibraryCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /** List shared sources */
  list(options: Request = {}): Promise<wire.LibraryListResponse> {
    return this.http.library.list(requestOf(options))
  }

  /** Delete a shared source */
  delete(name: string, options: LibraryDeleteOptions = {}): Promise<wire.LibraryDeleteResponse> {
    return this.http.library.delete(wireOf(options, { name }), requestOf(options))
  }
}

/** Operations of `messages`. */
export class MessagesCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * List messages
   *
   * Every message that a published flow declares, with its last value.
   */
  list(options: MessagesListOptions = {}): Promise<wire.MessagesListResponse> {
    return this.http.messages.list(wireOf(options), requestOf(options))
  }

  /**
   * Read the history of a message
   *
   * Newest first: the last 1,000 values of at most 7 days. Values over 64 kB are null and `truncated`.
   */
  history(message: MessageNamed, options: MessagesHistoryOptions = {}): Promise<wire.MessagesHistoryResponse> {
    return this.http.messages.history(wireOf(options, { message: messageName(message) }), requestOf(options))
  }
}

/** Operations of `runs`. */
export class RunsCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /** Get a run with its nodes, result and artifacts */
  get(run: RunNamed, options: Request = {}): Promise<wire.RunsGetResponse> {
    return this.http.runs.get(wireOf(options, { id: runName(run) }), requestOf(options))
  }

  /**
   * Change the note, the tags, the pin or the archiving of a run
   *
   * What is left out stays. The run may be in any state.
   */
  update(run: RunNamed, options: RunsUpdateOptions = {}): Promise<wire.RunsUpdateResponse> {
    return this.http.runs.update(wireOf(options, { id: runName(run) }), requestOf(options))
  }

  /** Delete a finished run with its records */
  delete(run: RunNamed, options: Request = {}): Promise<wire.RunsDeleteResponse> {
    return this.http.runs.delete(wireOf(options, { id: runName(run) }), requestOf(options))
  }

  /**
   * Cancel a run
   *
   * A finished run is answered unchanged.
   */
  cancel(run: RunNamed, options: Request = {}): Promise<wire.RunsCancelResponse> {
    return this.http.runs.cancel(wireOf(options, { id: runName(run) }), requestOf(options))
  }

  /**
   * List runs
   *
   * The newest first, unless `sort` tells otherwise. `Link rel="next"` has the address of the next page. A filter is a list of terms with spaces between them, which all have to hold: a field (`params.lr`, `results.f1`, `metrics.loss`, `metrics.loss:min`, `:max`, `:count`, `id`, `tags`, `note`, `seed`, `duration_s`, `submitted_by`, `external_id`, `group_id`, `parent`, `origin`, `pinned`), one of `= != < <= > >= ~`, and a value (a number, `NaN`, `true`, `false`, `null`, a word, a string in double quotes as in JSON; `*` is any). `~` is: contains, in letters A to Z of any case. A value of another type does not match, nor does a missing one.
   */
  list(options: RunsListOptions = {}): Promise<wire.RunsListResponse> {
    return this.http.runs.list(wireOf(options), requestOf(options))
  }

  /**
   * Change tags, pins or the archiving of many runs
   *
   * Of all of them, or of none.
   */
  updateMany(options: RunsUpdateManyOptions): Promise<wire.RunsUpdateManyResponse> {
    return this.http.runs.updateMany(wireOf(options), requestOf(options))
  }

  /**
   * Delete the runs of a flow
   *
   * Refused while one of them is queued or running. Runs that are submitted meanwhile stay.
   */
  deleteAll(options: RunsDeleteAllOptions): Promise<wire.RunsDeleteAllResponse> {
    return this.http.runs.deleteAll(wireOf(options), requestOf(options))
  }

  /**
   * Get the document that a run executed
   *
   * None of imported runs, and of runs of a draft before they start.
   */
  document(run: RunNamed, options: Request = {}): Promise<wire.RunsDocumentResponse> {
    return this.http.runs.document(wireOf(options, { id: runName(run) }), requestOf(options))
  }

  /**
   * Begin a run that another program executes
   *
   * The run is `running`, and stays so while its program tells of it at least every 60 seconds. The same `id` again is answered with the run that it names.
   */
  track(options: RunsTrackOptions): Promise<wire.RunsTrackResponse> {
    return this.http.runs.track(wireOf(options), requestOf(options))
  }

  /**
   * Tell what a tracked run has done
   *
   * Takes in the next of what its program sends: all of it, or nothing. What was sent before is answered, and ignored; where something is missing between, `version_conflict` tells the last that is stored. Only who began the run may tell of it.
   */
  append(run: RunNamed, options: RunsAppendOptions): Promise<wire.RunsAppendResponse> {
    return this.http.runs.append(wireOf(options, { id: runName(run) }), requestOf(options))
  }

  /**
   * Run again with the values of a finished run
   *
   * The new run has the inputs, seed, group and priority of the old one, which is its `parent`, and executes the flow as it is now. Stages that did not change are taken from the cache.
   */
  retry(run: RunNamed, options: Request = {}): Promise<wire.RunsRetryResponse> {
    return this.http.runs.retry(wireOf(options, { id: runName(run) }), requestOf(options))
  }

  /**
   * Take in runs that ended elsewhere
   *
   * Stores all entries or none, and executes nothing. A known `external_id` answers with its run, whatever else the entry says.
   */
  import(options: RunsImportOptions): Promise<wire.RunsImportResponse> {
    return this.http.runs.import(wireOf(options), requestOf(options))
  }

  /**
   * Count the runs of each flow
   *
   * Batch flows, and deleted flows that have runs, by name. `avg_duration_s` is of the runs that ended `ok`.
   */
  overview(options: Request = {}): Promise<wire.RunsOverviewResponse> {
    return this.http.runs.overview(requestOf(options))
  }

  /**
   * Get what a node of a run returned
   *
   * Kept of nodes that succeeded, may be cached and returned at most 262,144 bytes of JSON; else 404.
   */
  nodeOutputs(run: RunNamed, node: string, options: Request = {}): Promise<wire.RunsNodeOutputsResponse> {
    return this.http.runs.nodeOutputs(wireOf(options, { id: runName(run), node }), requestOf(options))
  }

  /**
   * Read what a node of a run has printed
   *
   * The last 65,536 bytes are kept; all of a longer log is an artifact of the run, `<node>.log`. Ask again with `after` set to `next` until the answer has no text and `ended` is true.
   */
  nodeLogs(run: RunNamed, node: string, options: RunsNodeLogsOptions = {}): Promise<wire.RunsNodeLogsResponse> {
    return this.http.runs.nodeLogs(wireOf(options, { id: runName(run), node }), requestOf(options))
  }

  /**
   * Export runs, a row for each
   *
   * The newest 10,000 runs of the selection. In CSV, texts that a spreadsheet would calculate begin with `'`.
   */
  export(options: RunsExportOptions = {}): Promise<wire.RunsExportResponse> {
    return this.http.runs.export(wireOf(options), requestOf(options))
  }
}

/** Operations of `metrics`. */
export class MetricsCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * List the metrics of runs
   *
   * Names of curves in the newest 10,000 runs of the selection, and how many of these have them.
   */
  names(options: MetricsNamesOptions = {}): Promise<wire.MetricsNamesResponse> {
    return this.http.metrics.names(wireOf(options), requestOf(options))
  }

  /**
   * Compare metrics of many runs
   *
   * Curves as columns. With `points` a curve has its first and last point, and the least and the greatest value of each of many equal ranges of x, so that no spike is lost. With `group` there are means and spread over the runs that share the value of an input, of all points. An answer has at most 2,000,000 points.
   */
  compareMany(options: MetricsCompareManyOptions): Promise<wire.MetricsCompareManyResponse> {
    return this.http.metrics.compareMany(wireOf(options), requestOf(options))
  }

  /**
   * Export points, a row for each
   *
   * The curves of the newest 10,000 runs of the selection.
   */
  export(options: MetricsExportOptions = {}): Promise<wire.MetricsExportResponse> {
    return this.http.metrics.export(wireOf(options), requestOf(options))
  }
}

/** Operations of `artifacts`. */
export class ArtifactsCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * Get bytes
   *
   * Answers `Range` and `If-None-Match`. With `Prefer: direct` (RFC 7240) an engine whose artifacts are in an S3-compatible store sends its client there. A device gets the bytes of the current values that its ports follow alone. A page shows them by a ticket in place of the header: what could run scripts is an attachment then.
   */
  get(artifact: ArtifactNamed, options: ArtifactsGetOptions = {}): Promise<wire.ArtifactsGetResponse> {
    return this.http.artifacts.get(wireOf(options, { digest: artifactName(artifact) }), requestOf(options))
  }

  /**
   * Delete bytes
   *
   * Refused while something needs the bytes; `used_by` names the runs, messages, flows and dashboards, and code by its digest. History and cached results are no reason to keep them.
   */
  delete(artifact: ArtifactNamed, options: Request = {}): Promise<wire.ArtifactsDeleteResponse> {
    return this.http.artifacts.delete(wireOf(options, { digest: artifactName(artifact) }), requestOf(options))
  }

  /**
   * Get a ticket for bytes
   *
   * For pages, which show videos and download files by an address alone. It is used first within 30 seconds, and then as often as wanted within 10 minutes: for these bytes, by this user, from this address, until the session or key ends that got it.
   */
  ticket(artifact: ArtifactNamed, options: Request = {}): Promise<wire.ArtifactsTicketResponse> {
    return this.http.artifacts.ticket(wireOf(options, { digest: artifactName(artifact) }), requestOf(options))
  }

  /**
   * Begin to send bytes to the store
   *
   * For engines whose artifacts are in an S3-compatible store; elsewhere it is refused, and the bytes go to `PUT /artifacts`. Bytes that are stored already need not be sent. All others are sent by one `PUT` to `url` with `headers`, and are an artifact when the upload is completed.
   */
  beginUpload(options: ArtifactsBeginUploadOptions): Promise<wire.ArtifactsBeginUploadResponse> {
    return this.http.artifacts.beginUpload(wireOf(options), requestOf(options))
  }

  /**
   * Complete an upload
   *
   * Refused as `validation_failed` when the bytes that have arrived are not those which were announced; they are removed then. An upload that nobody completes is removed after a day.
   */
  completeUpload(upload: string, options: Request = {}): Promise<wire.ArtifactsCompleteUploadResponse> {
    return this.http.artifacts.completeUpload(wireOf(options, { upload }), requestOf(options))
  }
}

/** Operations of `dashboards`. */
export class DashboardsCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /** List dashboards */
  list(options: Request = {}): Promise<wire.DashboardsListResponse> {
    return this.http.dashboards.list(requestOf(options))
  }

  /**
   * Read a dashboard
   *
   * The published content.
   */
  get(name: string, options: DashboardsGetOptions = {}): Promise<wire.DashboardsGetResponse> {
    return this.http.dashboards.get(wireOf(options, { name }), requestOf(options))
  }

  /**
   * Create a dashboard
   *
   * With a draft, of which nothing is published yet.
   */
  create(name: string, options: DashboardsCreateOptions = {}): Promise<wire.DashboardsCreateResponse> {
    return this.http.dashboards.create(wireOf(options, { name }), requestOf(options))
  }

  /**
   * Save a draft
   *
   * What is left out stays as it is. Messages, flows, runs and curves that nobody has are stored, and listed in `issues`.
   */
  save(name: string, options: DashboardsSaveOptions = {}): Promise<wire.DashboardsSaveResponse> {
    return this.http.dashboards.save(wireOf(options, { name }), requestOf(options))
  }

  /** Delete a dashboard */
  delete(name: string, options: Request = {}): Promise<wire.DashboardsDeleteResponse> {
    return this.http.dashboards.delete(wireOf(options, { name }), requestOf(options))
  }

  /**
   * Make a dashboard of the results of a batch flow
   *
   * Published at once: a chart of the newest 5 runs for each numeric streaming port, and a widget for each output; 200 widgets at most. Called `{flow}_results` unless named.
   */
  fromFlow(flow: FlowNamed, options: DashboardsFromFlowOptions = {}): Promise<wire.DashboardsFromFlowResponse> {
    return this.http.dashboards.fromFlow(wireOf(options, { flow: flowName(flow) }), requestOf(options))
  }

  /** Publish the draft */
  publish(name: string, options: DashboardsPublishOptions = {}): Promise<wire.DashboardsPublishResponse> {
    return this.http.dashboards.publish(wireOf(options, { name }), requestOf(options))
  }

  /**
   * Discard the draft
   *
   * The published content is the current one again, under a new version: a save over the discarded draft conflicts.
   */
  discard(name: string, options: Request = {}): Promise<wire.DashboardsDiscardResponse> {
    return this.http.dashboards.discard(wireOf(options, { name }), requestOf(options))
  }

  /** Rename a dashboard */
  rename(name: string, options: DashboardsRenameOptions): Promise<wire.DashboardsRenameResponse> {
    return this.http.dashboards.rename(wireOf(options, { path_name: name, body_name: options.name }), requestOf(options))
  }

  /**
   * Copy a dashboard
   *
   * The current content becomes the draft of a new dashboard.
   */
  duplicate(name: string, options: DashboardsDuplicateOptions = {}): Promise<wire.DashboardsDuplicateResponse> {
    return this.http.dashboards.duplicate(wireOf(options, { path_name: name, body_name: options.name }), requestOf(options))
  }
}

/** Operations of `devices`. */
export class DevicesCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /** List devices */
  list(options: Request = {}): Promise<wire.DevicesListResponse> {
    return this.http.devices.list(requestOf(options))
  }

  /**
   * Read a device
   *
   * With the ports of its last report, and how published flows wire them. A device reads itself alone.
   */
  get(id: string, options: Request = {}): Promise<wire.DevicesGetResponse> {
    return this.http.devices.get(wireOf(options, { id }), requestOf(options))
  }

  /**
   * Create a device
   *
   * A board is paired with it afterwards. Without a name it takes the one that its board says.
   */
  create(id: string, options: DevicesCreateOptions = {}): Promise<wire.DevicesCreateResponse> {
    return this.http.devices.create(wireOf(options, { id }), requestOf(options))
  }

  /**
   * Save a device
   *
   * `version` is the version that was read. Reports, pairing and presence do not change it.
   */
  save(id: string, options: DevicesSaveOptions): Promise<wire.DevicesSaveResponse> {
    return this.http.devices.save(wireOf(options, { id }), requestOf(options))
  }

  /**
   * Delete a device
   *
   * Its credentials count no more, and its socket is closed. Nodes that stand for it stay, without a device.
   */
  delete(id: string, options: Request = {}): Promise<wire.DevicesDeleteResponse> {
    return this.http.devices.delete(wireOf(options, { id }), requestOf(options))
  }

  /**
   * Report what a device has
   *
   * By the device itself, at most 16,384 bytes; replaces the last report. `io` or `ports` lists its ports as `{name, direction, dtype, on_demand, title}`: what cannot be read of it is passed over. `board`, `firmware`, and `name` until a person has chosen one, are taken over.
   */
  report(id: string, body: wire.DevicesReportData['body'], options: Request = {}): Promise<wire.DevicesReportResponse> {
    return this.http.devices.report(wireOf(options, { id, body }), requestOf(options))
  }

  /**
   * Adopt what waits
   *
   * By its code, or by the id of its request from the network where that was made. What was paired with the device before counts no more.
   */
  pair(id: string, body: wire.DevicesPairData['body'], options: Request = {}): Promise<wire.DevicesPairResponse> {
    return this.http.devices.pair(wireOf(options, { id, body }), requestOf(options))
  }

  /**
   * Unpair a device
   *
   * Its credentials count no more, one given out through the portal included, and its socket is closed.
   */
  unpair(id: string, options: Request = {}): Promise<wire.DevicesUnpairResponse> {
    return this.http.devices.unpair(wireOf(options, { id }), requestOf(options))
  }

  /**
   * Get the source that makes a board a device
   *
   * One file of Python 3.11 or newer, which needs nothing but the standard library.
   */
  runtime(options: Received = {}): Promise<wire.DevicesRuntimeResponse> {
    return this.http.devices.runtime(requestOf(options))
  }
}

/** Operations of `pairing`. */
export class PairingCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * Ask to be paired
   *
   * By a device that has no credential. It shows `code` and `check`, and polls with `secret` until somebody adopts it or ten minutes are over. Five times a minute from an address.
   */
  start(options: PairingStartOptions = {}): Promise<wire.PairingStartResponse> {
    return this.http.pairing.start(wireOf(options), requestOf(options))
  }

  /**
   * Poll a pairing
   *
   * With the secret as `Authorization: Bearer <secret>`, or in the query where a device cannot set headers. An adopted device gets its credential, each time that it asks until it has used it, for ten minutes.
   */
  poll(code: string, options: PairingPollOptions = {}): Promise<wire.PairingPollResponse> {
    return this.http.pairing.poll(wireOf(options, { code }), requestOf(options))
  }

  /**
   * List devices that wait
   *
   * Without their codes, which only who stands before the device can read.
   */
  pending(options: Request = {}): Promise<wire.PairingPendingResponse> {
    return this.http.pairing.pending(requestOf(options))
  }

  /**
   * Show what waits on a code
   *
   * Compare `check` with what the device shows: somebody who relays a code has another one.
   */
  inspect(code: string, options: Request = {}): Promise<wire.PairingInspectResponse> {
    return this.http.pairing.inspect(wireOf(options, { code }), requestOf(options))
  }
}

/** Operations of `panels`. */
export class PanelsCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * Read a device, for older firmware
   *
   * With the ports of its last report, and how published flows wire them. A device reads itself alone.
   */
  get(id: string, options: Request = {}): Promise<wire.PanelsGetResponse> {
    return this.http.panels.get(wireOf(options, { id }), requestOf(options))
  }

  /**
   * Ask to be paired, for older firmware
   *
   * By a device that has no credential. It shows `code` and `check`, and polls with `secret` until somebody adopts it or ten minutes are over. Five times a minute from an address.
   */
  startPairing(options: PanelsStartPairingOptions = {}): Promise<wire.PanelsStartPairingResponse> {
    return this.http.panels.startPairing(wireOf(options), requestOf(options))
  }

  /**
   * Poll a pairing, for older firmware
   *
   * With the secret as `Authorization: Bearer <secret>`, or in the query where a device cannot set headers. An adopted device gets its credential, each time that it asks until it has used it, for ten minutes.
   */
  pollPairing(code: string, options: PanelsPollPairingOptions = {}): Promise<wire.PanelsPollPairingResponse> {
    return this.http.panels.pollPairing(wireOf(options, { code }), requestOf(options))
  }
}

/** Operations of `secrets`. */
export class SecretsCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /** List secrets */
  list(options: Request = {}): Promise<wire.SecretsListResponse> {
    return this.http.secrets.list(requestOf(options))
  }

  /**
   * List secrets with their users
   *
   * Nodes whose draft or published form refers to them, and what else does.
   */
  usage(options: Request = {}): Promise<wire.SecretsUsageResponse> {
    return this.http.secrets.usage(requestOf(options))
  }

  /**
   * Store a secret
   *
   * In place of the value that it had. Nodes of active flows that use it are made anew.
   */
  set(name: string, options: SecretsSetOptions): Promise<wire.SecretsSetResponse> {
    return this.http.secrets.set(wireOf(options, { name }), requestOf(options))
  }

  /** Delete a secret */
  delete(name: string, options: Request = {}): Promise<wire.SecretsDeleteResponse> {
    return this.http.secrets.delete(wireOf(options, { name }), requestOf(options))
  }
}

/** Operations of `connectors`. */
export class ConnectorsCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * List what a connector keeps
   *
   * Keys of all node types of its package. Nobody is shown a value.
   */
  listState(nodeType: string, options: Request = {}): Promise<wire.ConnectorsListStateResponse> {
    return this.http.connectors.listState(wireOf(options, { node_type: nodeType }), requestOf(options))
  }

  /**
   * Have a connector forget everything
   *
   * As for one key, for all keys of the package.
   */
  clearState(nodeType: string, options: Request = {}): Promise<wire.ConnectorsClearStateResponse> {
    return this.http.connectors.clearState(wireOf(options, { node_type: nodeType }), requestOf(options))
  }

  /**
   * Have a connector forget a key
   *
   * Its package pairs, or learns, anew: when a flow with nodes of the package is published or started the next time.
   */
  deleteKey(nodeType: string, key: string, options: Request = {}): Promise<wire.ConnectorsDeleteKeyResponse> {
    return this.http.connectors.deleteKey(wireOf(options, { node_type: nodeType, key }), requestOf(options))
  }
}

/** Operations of `workers`. */
export class WorkersCalls {
  protected readonly http: GeneratedClient
  readonly provisioners: WorkersProvisionersCalls

  constructor(http: GeneratedClient) {
    this.http = http
    this.provisioners = new WorkersProvisionersCalls(http)
  }

  /**
   * List workers
   *
   * Those that are attached to this engine, and those that it refused for their version.
   */
  list(options: Request = {}): Promise<wire.WorkersListResponse> {
    return this.http.workers.list(requestOf(options))
  }

  /**
   * List worker tokens
   *
   * Without their texts, which only the answer to their making has.
   */
  listTokens(options: Request = {}): Promise<wire.WorkersListTokensResponse> {
    return this.http.workers.listTokens(requestOf(options))
  }

  /**
   * Make a worker token
   *
   * Its name and labels decide which nodes, and with them which secrets, the engine sends to workers that attach with it. It counts for 365 days.
   */
  mintToken(options: WorkersMintTokenOptions): Promise<wire.WorkersMintTokenResponse> {
    return this.http.workers.mintToken(wireOf(options), requestOf(options))
  }

  /**
   * Revoke a worker token
   *
   * Its workers are disconnected, and their calls fail. Revoking it again changes nothing.
   */
  revokeToken(jti: string, options: Request = {}): Promise<wire.WorkersRevokeTokenResponse> {
    return this.http.workers.revokeToken(wireOf(options, { jti }), requestOf(options))
  }

  /**
   * Get the source that runs Python nodes
   *
   * For reading: workers bring their own.
   */
  runtime(options: Received = {}): Promise<wire.WorkersRuntimeResponse> {
    return this.http.workers.runtime(requestOf(options))
  }

  /**
   * Get what workers have and have left
   *
   * And how the provisioners fare that may start more of them.
   */
  resources(options: Request = {}): Promise<wire.WorkersResourcesResponse> {
    return this.http.workers.resources(requestOf(options))
  }
}

/** Operations of `flavors`. */
export class FlavorsCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /** List flavors */
  list(options: Request = {}): Promise<wire.FlavorsListResponse> {
    return this.http.flavors.list(requestOf(options))
  }

  /**
   * Create a flavor
   *
   * Flows name it in `resources.flavor`; the numbers beside it there go before its own.
   */
  create(options: FlavorsCreateOptions): Promise<wire.FlavorsCreateResponse> {
    return this.http.flavors.create(wireOf(options), requestOf(options))
  }

  /**
   * Change a flavor
   *
   * What is left out stays as it was. Calls that have not started yet take the new numbers.
   */
  update(name: string, options: FlavorsUpdateOptions = {}): Promise<wire.FlavorsUpdateResponse> {
    return this.http.flavors.update(wireOf(options, { name }), requestOf(options))
  }

  /**
   * Delete a flavor
   *
   * Refused while flows name it in their draft or published form; `used_by` tells which.
   */
  delete(name: string, options: Request = {}): Promise<wire.FlavorsDeleteResponse> {
    return this.http.flavors.delete(wireOf(options, { name }), requestOf(options))
  }
}

/** Operations of `modules`. */
export class ModulesCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * Get the modules
   *
   * The manifest in force, what is installed, and how far an apply is.
   */
  get(options: Request = {}): Promise<wire.ModulesGetResponse> {
    return this.http.modules.get(requestOf(options))
  }

  /**
   * Apply a manifest of modules
   *
   * Replaces the whole list. It is built beside what is in force, which is used until it is complete: poll GET /modules/, or follow the `modules` frames of the event socket.
   */
  apply(options: ModulesApplyOptions): Promise<wire.ModulesApplyResponse> {
    return this.http.modules.apply(wireOf(options), requestOf(options))
  }
}

/** Operations of `alerts`. */
export class AlertsCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * Get the configuration of alerts
   *
   * With references to secrets, and no value of one.
   */
  get(options: Request = {}): Promise<wire.AlertsGetResponse> {
    return this.http.alerts.get(requestOf(options))
  }

  /**
   * Replace the configuration of alerts
   *
   * As a whole: what is left out has its default.
   */
  put(options: AlertsPutOptions = {}): Promise<wire.AlertsPutResponse> {
    return this.http.alerts.put(wireOf(options), requestOf(options))
  }

  /**
   * Test a channel of alerts
   *
   * Sends a message of the event `test` now, also through a channel that is not enabled.
   */
  test(channel: string, options: Request = {}): Promise<wire.AlertsTestResponse> {
    return this.http.alerts.test(wireOf(options, { channel }), requestOf(options))
  }
}

/** Operations of `backup`. */
export class BackupCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * Make a backup
   *
   * All of the database as of the moment of the first byte, while the engine goes on, and the artifacts that it refers to: a file for `service restore`. It has password hashes, and secrets as they are sealed, but no key. One that does not come to its end is of no use.
   */
  make(options: BackupMakeOptions = {}): Promise<wire.BackupMakeResponse> {
    return this.http.backup.make(wireOf(options), requestOf(options))
  }
}

/** Operations of `engines`. */
export class EnginesCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * List engines
   *
   * Those that live on the database of the engine that is asked, each with the live flows that it runs. An embedded database has one.
   */
  list(options: Request = {}): Promise<wire.EnginesListResponse> {
    return this.http.engines.list(requestOf(options))
  }
}

/** Operations of `observability`. */
export class ObservabilityCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * Tell how the engine is
   *
   * The answer is 200 whatever the state of the engine. While the database does not answer, the numbers of runs are the last that it told.
   */
  summary(options: Request = {}): Promise<wire.ObservabilitySummaryResponse> {
    return this.http.observability.summary(requestOf(options))
  }

  /**
   * Read executions over time
   *
   * Executions of nodes of live flows and of runs, oldest first. They are counted by the minute and kept for 7 days; a bucket in which nothing was executed is left out.
   */
  timeseries(options: ObservabilityTimeseriesOptions = {}): Promise<wire.ObservabilityTimeseriesResponse> {
    return this.http.observability.timeseries(wireOf(options), requestOf(options))
  }

  /** Sum up the executions of every flow */
  flows(options: ObservabilityFlowsOptions = {}): Promise<wire.ObservabilityFlowsResponse> {
    return this.http.observability.flows(wireOf(options), requestOf(options))
  }

  /**
   * List cascades, newest first
   *
   * A cascade is all that a webhook, timer, publication or trigger has set off in live flows; runs are listed too. They are kept for 30 days. Of a flow with many, those that failed or lasted a second are kept first, and of the others a part. `before` and `since` are about `started_at`.
   */
  cascades(options: ObservabilityCascadesOptions = {}): Promise<wire.ObservabilityCascadesResponse> {
    return this.http.observability.cascades(wireOf(options), requestOf(options))
  }

  /**
   * List events, newest first
   *
   * What people did (`audit`) and what happened to the engine and its connections in the last 30 days.
   */
  events(options: ObservabilityEventsOptions = {}): Promise<wire.ObservabilityEventsResponse> {
    return this.http.observability.events(wireOf(options), requestOf(options))
  }

  /**
   * List dead letters, newest first
   *
   * Work that ended without being done. It is kept for 30 days, or until it is replayed.
   */
  deadLetter(options: ObservabilityDeadLetterOptions = {}): Promise<wire.ObservabilityDeadLetterResponse> {
    return this.http.observability.deadLetter(wireOf(options), requestOf(options))
  }

  /**
   * Deliver dead letters again
   *
   * Those of active flows that fit, the oldest first, at most 1,000 a call: call again until `replayed` is 0. What cannot be delivered stays. An empty body means all.
   */
  replayMany(options: ObservabilityReplayManyOptions = {}): Promise<wire.ObservabilityReplayManyResponse> {
    return this.http.observability.replayMany(wireOf(options), requestOf(options))
  }

  /**
   * Deliver a dead letter again
   *
   * Its value goes to every input of the node that reads the message. It is taken from the list; if it fails again it comes back under its id.
   */
  replay(id: string, options: Request = {}): Promise<wire.ObservabilityReplayResponse> {
    return this.http.observability.replay(wireOf(options, { id }), requestOf(options))
  }

  /**
   * Dismiss a dead letter
   *
   * It is taken from the list and not delivered. Who has dismissed it is in the audit.
   */
  dismiss(id: string, options: Request = {}): Promise<wire.ObservabilityDismissResponse> {
    return this.http.observability.dismiss(wireOf(options, { id }), requestOf(options))
  }

  /**
   * Write what waits to be written
   *
   * Lists do that by themselves for what they show.
   */
  flush(options: Request = {}): Promise<wire.ObservabilityFlushResponse> {
    return this.http.observability.flush(requestOf(options))
  }
}

/** Operations of `utils`. */
export class UtilsCalls {
  protected readonly http: GeneratedClient

  constructor(http: GeneratedClient) {
    this.http = http
  }

  /**
   * Check whether the engine works
   *
   * Refuses while the event loop is blocked or the database cannot be written; `checks` tells what it is.
   */
  health(options: Request = {}): Promise<wire.UtilsHealthResponse> {
    return this.http.utils.health(requestOf(options))
  }
}

/** The groups of operations whose types are those of the wire. */
export class Operations {
  /** The generated functions, which take and answer what is on the wire. */
  readonly http: GeneratedClient
  readonly login: LoginCalls
  readonly users: UsersCalls
  readonly keys: KeysCalls
  readonly oauth: OauthCalls
  readonly flows: FlowsCalls
  readonly library: LibraryCalls
  readonly dashboards: DashboardsCalls
  readonly devices: DevicesCalls
  readonly pairing: PairingCalls
  readonly panels: PanelsCalls
  readonly secrets: SecretsCalls
  readonly connectors: ConnectorsCalls
  readonly workers: WorkersCalls
  readonly flavors: FlavorsCalls
  readonly modules: ModulesCalls
  readonly alerts: AlertsCalls
  readonly backup: BackupCalls
  readonly engines: EnginesCalls
  readonly observability: ObservabilityCalls
  readonly utils: UtilsCalls

  constructor(http: GeneratedClient) {
    this.http = http
    this.login = new LoginCalls(http)
    this.users = new UsersCalls(http)
    this.keys = new KeysCalls(http)
    this.oauth = new OauthCalls(http)
    this.flows = new FlowsCalls(http)
    this.library = new LibraryCalls(http)
    this.dashboards = new DashboardsCalls(http)
    this.devices = new DevicesCalls(http)
    this.pairing = new PairingCalls(http)
    this.panels = new PanelsCalls(http)
    this.secrets = new SecretsCalls(http)
    this.connectors = new ConnectorsCalls(http)
    this.workers = new WorkersCalls(http)
    this.flavors = new FlavorsCalls(http)
    this.modules = new ModulesCalls(http)
    this.alerts = new AlertsCalls(http)
    this.backup = new BackupCalls(http)
    this.engines = new EnginesCalls(http)
    this.observability = new ObservabilityCalls(http)
    this.utils = new UtilsCalls(http)
  }
}
