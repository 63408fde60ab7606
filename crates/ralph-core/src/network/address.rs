//! Addresses that no box may reach, whatever name led there. Asked after a name was resolved.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde::Serialize;
use thiserror::Error;

/// Why an address is out of reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum AddressProblem {
    #[error("it is an address of this machine")]
    Loopback,
    #[error("it is an address of a private network")]
    Private,
    #[error("it is an address of this link only")]
    LinkLocal,
    #[error("it is an address at which a cloud tells its machines their secrets")]
    Metadata,
    #[error("it is no address of one host in the internet")]
    Special,
}

/// Networks of IPv4 that are not the internet: first address, length of the prefix.
const V4: &[(Ipv4Addr, u32, AddressProblem)] = &[
    // These come first: some of them lie inside a wider range below.
    (Ipv4Addr::new(169, 254, 169, 254), 32, AddressProblem::Metadata),
    (Ipv4Addr::new(169, 254, 170, 2), 32, AddressProblem::Metadata),
    (Ipv4Addr::new(100, 100, 100, 200), 32, AddressProblem::Metadata),
    (Ipv4Addr::new(192, 0, 0, 192), 32, AddressProblem::Metadata),
    (Ipv4Addr::new(168, 63, 129, 16), 32, AddressProblem::Metadata),
    (Ipv4Addr::new(127, 0, 0, 0), 8, AddressProblem::Loopback),
    (Ipv4Addr::UNSPECIFIED, 8, AddressProblem::Loopback),
    (Ipv4Addr::new(10, 0, 0, 0), 8, AddressProblem::Private),
    (Ipv4Addr::new(100, 64, 0, 0), 10, AddressProblem::Private),
    (Ipv4Addr::new(172, 16, 0, 0), 12, AddressProblem::Private),
    (Ipv4Addr::new(192, 168, 0, 0), 16, AddressProblem::Private),
    (Ipv4Addr::new(169, 254, 0, 0), 16, AddressProblem::LinkLocal),
    (Ipv4Addr::new(192, 0, 0, 0), 24, AddressProblem::Special),
    (Ipv4Addr::new(192, 0, 2, 0), 24, AddressProblem::Special),
    (Ipv4Addr::new(192, 88, 99, 0), 24, AddressProblem::Special),
    (Ipv4Addr::new(198, 18, 0, 0), 15, AddressProblem::Special),
    (Ipv4Addr::new(198, 51, 100, 0), 24, AddressProblem::Special),
    (Ipv4Addr::new(203, 0, 113, 0), 24, AddressProblem::Special),
    (Ipv4Addr::new(224, 0, 0, 0), 4, AddressProblem::Special),
    (Ipv4Addr::new(240, 0, 0, 0), 4, AddressProblem::Special),
];

/// Networks of IPv6 that are not the internet, inside and outside its global part.
const V6: &[(Ipv6Addr, u32, AddressProblem)] = &[
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), 128, AddressProblem::Metadata),
    (Ipv6Addr::LOCALHOST, 128, AddressProblem::Loopback),
    (Ipv6Addr::UNSPECIFIED, 128, AddressProblem::Loopback),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, AddressProblem::Private),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, AddressProblem::Private),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, AddressProblem::LinkLocal),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, AddressProblem::Special),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, AddressProblem::Special),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, AddressProblem::Special),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, AddressProblem::Special),
];

/// What keeps an address out of reach; `None` for one host in the internet.
pub fn problem_of(address: IpAddr) -> Option<AddressProblem> {
    match address {
        IpAddr::V4(address) => v4(address),
        IpAddr::V6(address) => v6(address),
    }
}

fn v4(address: Ipv4Addr) -> Option<AddressProblem> {
    let is_in = |first: Ipv4Addr, length| {
        address.to_bits() >> (32 - length) == first.to_bits() >> (32 - length)
    };
    V4.iter().find(|(first, length, _)| is_in(*first, *length)).map(|(_, _, problem)| *problem)
}

fn v6(address: Ipv6Addr) -> Option<AddressProblem> {
    // An IPv4 address in another dress: written into IPv6, or behind a translator of a network without IPv4.
    if let Some(inner) = address.to_ipv4_mapped() {
        return v4(inner);
    }
    let [.., high, low] = address.segments();
    if address.segments()[..6] == [0x64, 0xff9b, 0, 0, 0, 0] {
        return v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)));
    }
    let is_in = |first: Ipv6Addr, length| {
        address.to_bits() >> (128 - length) == first.to_bits() >> (128 - length)
    };
    let known = V6.iter().find(|(first, length, _)| is_in(*first, *length));
    let is_global = address.segments()[0] >> 13 == 1;
    known.map(|(_, _, problem)| *problem).or((!is_global).then_some(AddressProblem::Special))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_the_internet_is_out_of_reach() {
        use AddressProblem::{LinkLocal, Loopback, Metadata, Private, Special};
        let all = [
            ("127.0.0.1", Loopback),
            ("127.255.255.255", Loopback),
            ("0.0.0.0", Loopback),
            ("10.0.0.1", Private),
            ("100.64.0.1", Private),
            ("100.127.255.255", Private),
            ("172.16.0.1", Private),
            ("172.31.255.255", Private),
            ("192.168.1.1", Private),
            ("169.254.1.1", LinkLocal),
            ("169.254.169.254", Metadata),
            ("100.100.100.200", Metadata),
            ("168.63.129.16", Metadata),
            ("192.0.2.1", Special),
            ("198.19.255.255", Special),
            ("198.51.100.7", Special),
            ("203.0.113.9", Special),
            ("224.0.0.1", Special),
            ("255.255.255.255", Special),
            ("::1", Loopback),
            ("::", Loopback),
            ("::ffff:127.0.0.1", Loopback),
            ("::ffff:10.1.2.3", Private),
            ("::127.0.0.1", Special),
            ("64:ff9b::7f00:1", Loopback),
            ("64:ff9b::a9fe:a9fe", Metadata),
            ("64:ff9b:1::1", Special),
            ("fe80::1", LinkLocal),
            ("fc00::1", Private),
            ("fd12:3456::1", Private),
            ("fd00:ec2::254", Metadata),
            ("ff02::1", Special),
            ("2001::1", Special),
            ("2001:db8::1", Special),
            ("2002:7f00:1::", Special),
            ("3fff::1", Special),
            ("4000::1", Special),
        ];
        for (address, problem) in all {
            assert_eq!(address.parse().map(problem_of), Ok(Some(problem)), "{address}");
        }
    }

    #[test]
    fn hosts_of_the_internet_are_within_reach() {
        for address in [
            "1.1.1.1",
            "100.63.255.255",
            "100.128.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
        ] {
            assert_eq!(address.parse().map(problem_of), Ok(None), "{address}");
        }
    }
}
