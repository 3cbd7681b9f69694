// The documents that control points read first: the description of the device, and of each service (UPnP Device
// Architecture 1.0, parts 2 and 3).

import { DEVICE_TYPE, type ServiceTemplate, SERVICES, type Variable } from './services.ts'
import { XML_HEAD, xmlElement } from './xml-text.ts'

/** What is said of the device. */
export interface DeviceFacts {
  /** `uuid:...` */
  readonly udn: string
  readonly name: string
  readonly version: string
}

/** Paths of a listener. */
export const DESCRIPTION_PATH = '/description.xml'

/** Where a service is described, asked and followed. */
export function pathOf(service: ServiceTemplate, what: 'description' | 'control' | 'events'): string {
  return `/${service.key}/${what}${what === 'description' ? '.xml' : ''}`
}

const SPEC_VERSION = '<specVersion><major>1</major><minor>0</minor></specVersion>'

/** The description of the device. */
export function deviceDescription({ udn, name, version }: DeviceFacts): string {
  const services = SERVICES.map(
    service =>
      `<service>${xmlElement('serviceType', service.type)}${xmlElement('serviceId', service.id)}` +
      xmlElement('SCPDURL', pathOf(service, 'description')) +
      xmlElement('controlURL', pathOf(service, 'control')) +
      `${xmlElement('eventSubURL', pathOf(service, 'events'))}</service>`,
  )
  return (
    `${XML_HEAD}<root xmlns="urn:schemas-upnp-org:device-1-0" xmlns:dlna="urn:schemas-dlna-org:device-1-0" ` +
    `xmlns:sec="http://www.sec.co.kr/dlna">${SPEC_VERSION}<device>${xmlElement('deviceType', DEVICE_TYPE)}` +
    `${xmlElement('friendlyName', name)}<manufacturer>Tributary</manufacturer>` +
    `<modelDescription>BitTorrent node</modelDescription><modelName>Tributary</modelName>` +
    `${xmlElement('modelNumber', version)}${xmlElement('UDN', udn)}` +
    '<dlna:X_DLNADOC>DMS-1.50</dlna:X_DLNADOC><sec:ProductCap>smi,getMediaInfo.sec,getCaptionInfo.sec</sec:ProductCap>' +
    `<serviceList>${services.join('')}</serviceList></device></root>\r\n`
  )
}

/** The description of a service. */
export function serviceDescription({ actions, variables }: ServiceTemplate): string {
  const listed = Object.entries(actions).map(([name, list]) => {
    const parts = list.map(
      ([argument, direction, variable]) =>
        `<argument>${xmlElement('name', argument)}<direction>${direction}</direction>` +
        `${xmlElement('relatedStateVariable', variable)}</argument>`,
    )
    return `<action>${xmlElement('name', name)}<argumentList>${parts.join('')}</argumentList></action>`
  })
  return (
    `${XML_HEAD}<scpd xmlns="urn:schemas-upnp-org:service-1-0">${SPEC_VERSION}` +
    `<actionList>${listed.join('')}</actionList>` +
    `<serviceStateTable>${variables.map(variableText).join('')}</serviceStateTable></scpd>\r\n`
  )
}

function variableText({ name, type, evented = false, allowed }: Variable): string {
  const values = allowed?.map(value => xmlElement('allowedValue', value)).join('')
  return (
    `<stateVariable sendEvents="${evented ? 'yes' : 'no'}">${xmlElement('name', name)}<dataType>${type}</dataType>` +
    `${values === undefined ? '' : `<allowedValueList>${values}</allowedValueList>`}</stateVariable>`
  )
}
